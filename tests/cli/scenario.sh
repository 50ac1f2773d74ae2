# SPDX-License-Identifier: MIT
# What every scenario starts with: `. "$(dirname "$0")/scenario.sh"`. Then the programs and make-run
# are on PATH (FOXHUNT_BIN says where), and the scenario works in an empty directory of its own,
# which goes away unless the scenario fails.
set -u
PATH=$FOXHUNT_BIN:$PATH
unset NO_COLOR
work=$(mktemp -d "${TMPDIR:-/tmp}/foxhunt-cli-XXXXXX")
cd "$work" || exit 1
failures=0

finish() {
  if [ "$failures" -eq 0 ]; then
    rm -rf "$work"
  else
    echo "$failures expectations failed; kept for a look: $work" >&2
    exit 1
  fi
}
trap finish EXIT

fail() {
  failures=$((failures + 1))
  echo "line ${BASH_LINENO[1]}: $*" >&2
}

# expect CODE COMMAND...: runs it, with its output in ./out and ./err, and checks its exit code.
expect() {
  local want=$1 got=0
  shift
  "$@" > out 2> err || got=$?
  [ "$got" -eq "$want" ] || {
    fail "exit code $got, expected $want: $*"
    cat out err >&2
  }
}

# says FILE TEXT / says_not FILE TEXT: whether the file holds the text.
says() {
  grep -qF -- "$2" "$1" || {
    fail "$1 does not say: $2"
    cat "$1" >&2
  }
}
says_not() {
  ! grep -qF -- "$2" "$1" || {
    fail "$1 says: $2"
    cat "$1" >&2
  }
}

is_empty() { [ ! -s "$1" ] || { fail "$1 is not empty"; cat "$1" >&2; }; }

# json FILE EXPRESSION: the expression, of the document as `d`, holds.
json() {
  /usr/bin/python3 - "$1" "$2" <<'END' || fail "$1: not true: $2"
import json, sys
def refuse(text): raise ValueError("not JSON: " + text)
with open(sys.argv[1], encoding="utf-8") as f:
    d = json.load(f, parse_constant=refuse)
if not eval(sys.argv[2]):
    print(json.dumps(d, indent=1)[:4000], file=sys.stderr)
    sys.exit(1)
END
}
