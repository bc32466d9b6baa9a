#!/bin/sh
# Pins the images of docker/base-images: asks their registry for the digest of each and writes it into docker/.env, which
# compose reads. Other lines of docker/.env stay. Run it again to take newer images.
#
#   sh docker/base-images.sh
#   docker build $(sed -n 's/^[A-Z]*_IMAGE=/--build-arg &/p' docker/.env) -f docker/Dockerfile -t standin .
set -eu

cd -- "$(dirname -- "$0")"

pinned=$(grep -v '^#' base-images | while IFS='=' read -r name image; do
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  case $digest in
    sha256:*) printf '%s=%s@%s\n' "$name" "$image" "$digest" ;;
    *)
      printf '%s has no digest: %s\n' "$image" "$digest" >&2
      exit 1
      ;;
  esac
done)
{
  if [ -f .env ]; then grep -Ev '^[A-Z]+_IMAGE=' .env || :; fi
  printf '%s\n' "$pinned"
} >.env.new
mv .env.new .env
printf '%s\n' "$pinned"
