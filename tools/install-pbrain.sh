#!/bin/sh
# Installs boardzero as a brain for Gomoku tournament managers: install-pbrain.sh [FOLDER]
#
# FOLDER (default: ~/.local/bin) gets `pbrain-boardzero`, a program that any manager on this machine can start. Where
# Debian's mingw-w64 is installed it also gets `pbrain-boardzero.exe`, the relay for managers that run under Windows.
# PYTHON names the Python that boardzero is installed for (default: the one of .venv, else python3); WARM=no leaves out
# compiling, which the first games then do.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
folder=${1:-"$HOME/.local/bin"}
python=${PYTHON:-"$here/../.venv/bin/python"}
[ -x "$python" ] || python=$(command -v python3)

"$python" -c 'import boardzero' || { echo "boardzero is not installed for $python." >&2; exit 1; }
python=$("$python" -c 'import sys; print(sys.executable)')
mkdir -p "$folder"
printf '#!/bin/sh\nexec "%s" -P -c "from boardzero.cli.main import main; main()" engine gomocup "$@"\n' "$python" \
    > "$folder/pbrain-boardzero.new"
chmod +x "$folder/pbrain-boardzero.new"
mv "$folder/pbrain-boardzero.new" "$folder/pbrain-boardzero"
if [ "${WARM:-yes}" != no ]; then
    echo "Compiling (a minute or two, once) …"
    "$python" -c "from boardzero.cli.main import main; main()" engine warm
fi
echo "Installed $folder/pbrain-boardzero."

if command -v x86_64-w64-mingw32-gcc > /dev/null; then
    x86_64-w64-mingw32-gcc -O2 -s -static -Wall -o "$folder/pbrain-boardzero.exe" "$here/relay/pbrain-boardzero.c" -lws2_32
    echo "Installed $folder/pbrain-boardzero.exe; it needs: boardzero engine gomocup --listen 5555"
else
    echo "The Windows relay was not built: x86_64-w64-mingw32-gcc is missing (Debian: mingw-w64)."
fi
