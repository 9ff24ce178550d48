#!/bin/sh
# Makes a stand-in for the public base image of deploy/Dockerfile, from Debian's packages and the Node that npm
# installed, for machines that cannot reach an image registry. Needs root, debootstrap, podman and "npm ci".
#
#   deploy/image/make-local-base.sh       then: podman build --pull=never --file deploy/Dockerfile --tag bellhop .
#
# PODMAN is the command to import the image with, such as "podman --root /somewhere".
set -eu

repository=$(cd "$(dirname "$0")/../.." && pwd)
podman=${PODMAN:-podman}
name=docker.io/library/$(sed -n 's/^FROM \(node:[^ ]*\)$/\1/p' "$repository/deploy/Dockerfile")
release=$(echo "$name" | sed 's/.*:[0-9.]*-\([a-z]*\)-slim$/\1/')
# The npm that comes with this major version of Node.
npm=npm@11.19.1

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# Node is linked with libatomic.
debootstrap --variant=minbase --include=ca-certificates,libatomic1 "$release" "$root" >&2
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* \
  "$root"/usr/share/doc "$root"/usr/share/man "$root"/usr/share/locale "$root"/usr/share/info
cp -L "$repository/node_modules/node/bin/node" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules/npm" "$root/usr/local/etc"
(cd "$root/tmp" && tar -xzf "$(npm pack --silent $npm)" -C ../usr/local/lib/node_modules/npm --strip-components=1 && rm ./*.tgz)
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
# This machine may reach the npm registry only through a proxy with a certificate of its own.
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
echo 'cafile = /etc/ssl/certs/ca-certificates.crt' > "$root/usr/local/etc/npmrc"
chroot "$root" groupadd --gid 1000 node
chroot "$root" useradd --uid 1000 --gid node --create-home node
tar -C "$root" -c . | $podman import --change CMD=node - "$name" >&2
echo "$name"
