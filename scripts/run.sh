#!/usr/bin/env bash
# Builds the images of instances beside the server, which says on its page how
# far they are: nobody waits for them to sign in.
# A cluster that an ordinary user runs has no images but the machine itself.
set -euo pipefail
[ "$(id -u)" = 0 ] || exec bin/goblinlab up "$@"
mkdir -p bin/images
echo "==> building the images in the background (the first time takes minutes); progress: the page's Images, bin/images/build.log"
(make --no-print-directory images </dev/null >bin/images/build.log 2>&1 &)
exec bin/goblinlab up "$@"
