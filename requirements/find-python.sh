#!/bin/sh
# Make the virtual environment, or say what is missing.
wanted=$1
venv=$2
for python in "$wanted" python3 python; do
    if command -v "$python" >/dev/null 2>&1 &&
        "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' 2>/dev/null; then
        echo "- making $venv with $("$python" --version)"
        if ! "$python" -m venv "$venv"; then
            echo "This Python has no venv module; on Debian: apt-get install python3-venv" >&2
            exit 1
        fi
        exit 0
    fi
done
echo "Quietway needs Python 3.11 or 3.12, and none was found. Install one, or name it: make env PYTHON=/path/to/python3.11" >&2
exit 1
