# The daemon and its client, with the libraries that they load and nothing else. `./dev image` builds this and runs it; README.md.
#
#   docker run --rm --read-only -p 127.0.0.1:7878:7878 collided

# Debian 12, by the digest of its index of all machines. `./dev image --pin` asks the registry and renews the next two lines.
# Pinned: debian:bookworm-20261005-slim (Debian 12.15), as ten files of public repositories have it, read on 2026-11-29.
ARG BASE=debian:bookworm-slim@sha256:7c7b2c966bc9ee8cedfeef67e0e279108992c77681fa595db4a9d65c06ccc587
FROM ${BASE} AS build
WORKDIR /src
# The packages by themselves first, so that a change of the sources does not install them again.
COPY dev ./
RUN ./dev packages build && rm -rf /var/lib/apt/lists/*
COPY . .
# Without pictures: the image draws nothing. Without zstd: it keeps no recordings.
RUN cmake --preset release -DBUILD_TESTING=OFF -DCOLLIDED_PICTURES=OFF -DCOLLIDED_ZSTD=OFF \
	&& cmake --build build/release --target collided collide \
	&& sh deploy/image_root.sh build/release/bin /out

FROM scratch
ARG VERSION
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.title="collided" \
	org.opencontainers.image.description="Exact 2D collision physics over TCP" \
	org.opencontainers.image.version="${VERSION}" \
	org.opencontainers.image.revision="${REVISION}" \
	org.opencontainers.image.source="${SOURCE}" \
	org.opencontainers.image.licenses="MIT"
COPY --from=build /out/ /
# The user needs no name: it owns nothing and writes nothing.
USER 65532:65532
EXPOSE 7878
ENV COLLIDED_LISTEN=0.0.0.0:7878
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=2s --retries=3 CMD ["/usr/bin/collide", "ping"]
# Exec form: the daemon is PID 1, gets the signals itself, and has no children to reap.
ENTRYPOINT ["/usr/bin/collided"]
