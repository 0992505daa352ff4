# Checks what /api/proofs/{key} says: sh check.sh PROOF library.example.org/shelf+…
proof=$(cat "$1") key=$2
set -eu
between() { rest=${proof#*"$1"}; printf '%s\n' "${rest%%"$2"*}"; }
unescape() { IFS= read line; printf %s "$line"; }
bytes() { tr a-f A-F | basenc --base16 -d; }
hash() { sha256sum | cut -c 1-64; }
cd "$(mktemp -d)"

# The log's key has signed the checkpoint.
between '"checkpoint":"' '","entry"' | { read -r line; printf %b "$line"; } > checkpoint
head -n 3 checkpoint > signed
{ echo 302a300506032b6570032100 | bytes; printf %s "${key#*+*+}" | base64 -d | tail -c 32; } > key
tail -n +5 checkpoint | while read -r dash name line; do
  printf %s "$line" | base64 -d > line
  case $key in "$name+$(head -c 4 line | basenc --base16 | tr A-F a-f)+"*) tail -c +5 line > signature ;; esac
done
openssl pkeyutl -verify -pubin -inkey key -keyform DER -rawin -in signed -sigfile signature > /dev/null

# The record is the last entry of that log, and names the snapshot.
between '"entry":"' '","hashes"' | unescape > entry
now=$({ printf '\000'; cat entry; } | hash)
for left in $(between '"hashes":[' ']' | tr -d '"' | tr , ' '); do
  now=$({ printf '\001'; echo "$left$now" | bytes; } | hash)
done
test "$(echo "$now" | bytes | base64)" = "$(tail -n 1 signed)"
next=$(tr ',' '\n' < entry | tail -n 1 | cut -d '"' -f 4)

# Each tree has the digest that the one before says, and the last one the file's digest, or nothing of its name.
rest=${proof#*'"trees":['}
while test "${rest#*'"text":"'}" != "$rest"; do
  name=${rest#*'"name":"'} text=${rest#*'"text":"'}
  name=${name%%'","sha256"'*} rest=${text#*'}]"}'} text="${text%%'}]"}'*}}]"
  test "$(printf '%s\n' "$text" | unescape | hash)" = "$next"
  next=$(printf '%s\n' "$text" | unescape | tr '{' '\n' | cut -d '"' -f 8,12 | tr '"' ' ' |
    while read -r entry digest; do if test "$entry" = "$name"; then echo "$digest"; fi; done)
done
echo "${next:-absent}"        # of an object: what sha256sum says of its bytes
case $proof in *'"file":"'*) test "$(between '"file":"' '","key"' | unescape | hash)" = "$next" && between '"file":"' '","key"' | unescape ;; esac
