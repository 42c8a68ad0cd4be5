# The daemon and its client on Debian slim. `./dev image` builds this and runs it; see README.md.
#
#   docker run --rm --read-only -p 7878:7878 collided

FROM debian:bookworm-slim AS build
WORKDIR /src
# The packages by themselves first, so that a change of the sources does not install them again.
COPY dev ./
RUN ./dev packages build && rm -rf /var/lib/apt/lists/*
COPY . .
# Without pictures: the image draws nothing.
RUN cmake --preset release -DBUILD_TESTING=OFF -DCOLLIDED_PICTURES=OFF \
	&& cmake --build build/release --target collided collide \
	&& install -D -s -t /out/usr/bin build/release/bin/collided build/release/bin/collide

FROM debian:bookworm-slim
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="collided" \
	org.opencontainers.image.description="Exact 2D collision physics over TCP" \
	org.opencontainers.image.version="${VERSION}" \
	org.opencontainers.image.licenses="MIT"
RUN apt-get update \
	&& apt-get install -y --no-install-recommends libuv1 libprotobuf-c1 libjansson4 \
	&& rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/*
COPY --from=build /out/ /
COPY LICENSE /usr/share/doc/collided/copyright
# The user needs no name: it owns nothing and writes nothing.
USER 65532:65532
EXPOSE 7878
ENV COLLIDED_LISTEN=0.0.0.0:7878
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=2s --retries=3 CMD ["/usr/bin/collide", "ping"]
# Exec form: the daemon is PID 1, gets the signals itself, and has no children to reap.
ENTRYPOINT ["/usr/bin/collided"]
