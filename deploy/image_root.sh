#!/bin/sh
# image_root.sh BIN ROOT: lays the image's files: the two programs, stripped, the libraries that they load, by the names that the
# loader asks for, and the licences of all.
set -eu

bin=$1 root=$2
install -D -s -t "$root/usr/bin" "$bin/collided" "$bin/collide"
install -D -m 644 LICENSE "$root/usr/share/doc/collided/copyright"

# "libuv.so.1 => /lib/.../libuv.so.1 (0x...)", and the loader itself as "/lib64/ld-linux-x86-64.so.2 (0x...)".
ldd "$bin/collided" "$bin/collide" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(/ { print $1 }' |
	sort -u >"$root/libraries"
[ -s "$root/libraries" ]
while read -r library; do
	install -D -m 755 "$library" "$root$library"
	# Debian's database has the file by the name behind the links of folders.
	package=$(dpkg-query -S "$(readlink -f "$library")" 2>/dev/null || dpkg-query -S "*/${library##*/}")
	package=${package%%:*}
	install -D -m 644 "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright" 2>/dev/null ||
		echo "$package: no copyright file in this base" >&2
done <"$root/libraries"
rm "$root/libraries"
