#!/bin/sh
# Entrypoint of the registry test image. The server is the real one, distribution 2.8; this does with arguments what the
# entrypoint of the official image does (github.com/distribution/distribution-library-image, docker-entrypoint.sh).
set -e

case "$1" in
  *.yaml | *.yml) set -- registry serve "$@" ;;
  serve | garbage-collect | help | -*) set -- registry "$@" ;;
esac
exec "$@"
