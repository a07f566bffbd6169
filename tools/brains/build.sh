#!/bin/sh
# Builds a Gomocup brain of others, written in C++ on Gomocup's skeleton for Windows, for this system:
#
#     sh tools/brains/build.sh FOLDER_WITH_ITS_SOURCES PROGRAM [FURTHER_SOURCE...]
#
# All *.cpp of the folder are compiled, but for a pisqpipe.cpp of its own: the one beside this file takes its place.
set -eu
[ $# -ge 2 ] || { echo "usage: sh $0 FOLDER_WITH_SOURCES PROGRAM [FURTHER_SOURCE...]" >&2; exit 2; }
[ -d "$1" ] || { echo "There is no folder '$1' with the sources of a brain." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
sources=$1 program=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$sources"/*.cpp "$sources"/*.h "$@"; do
    # Windows' paths become names that are found here.
    [ ! -f "$file" ] || sed 's/#include *"[^"]*pisqpipe\.h"/#include "pisqpipe.h"/' "$file" > "$work/$(basename "$file")"
done
cp "$here"/windows.h "$here"/pisqpipe.h "$here"/pisqpipe.cpp "$work"
mkdir -p "$(dirname "$program")"
${CXX:-g++} -O2 -DNDEBUG -w -fpermissive -I"$work" -I"$here/qt" -o "$program" "$work"/*.cpp
