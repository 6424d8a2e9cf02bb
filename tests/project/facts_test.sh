#!/bin/sh
# What tests/data/compare_facts.py says of a repository whose functions change: facts_test.sh PYTHON ROOT FOLDER
set -eu
python=$1 root=$2 folder=$3
command -v git >/dev/null || exit 77
rm -rf "$folder"
mkdir -p "$folder/owner+thing"
cd "$folder/owner+thing"
git init -q .
git config user.email nobody@example.org
git config user.name nobody
printf 'int kept(int x) {\n\n  return x;\n}\n\nint changed(int x) {\n  return x + 1;\n}\n\nint removed() { return 0; }\n' > map.cc
git add map.cc
git commit -qm first
first=$(git rev-parse HEAD)
printf 'int kept(int x) {\n\n    return x;\n}\n\nint changed(int x) {\n  return x + 2;\n}\n' > map.cc
git commit -qam second
cat > "$folder/facts.json" <<E
[{"repository": "owner/thing", "commit": "$first", "file": "map.cc", "parts": ["kept(", "changed(", "removed(", "never("],
  "ours": "here"},
 {"repository": "owner/absent", "commit": "$first", "file": "map.cc", "parts": ["kept("], "ours": "there"}]
E
status=0
"$python" "$root/tests/data/compare_facts.py" "$folder" "$folder/facts.json" > "$folder/said" || status=$?
cat "$folder/said"
[ "$status" = 1 ]
expect() { grep -qF "$1" "$folder/said" || { echo "not said: $1"; exit 1; }; }
expect "DIFFERS: changed( of map.cc differs from $first; last change "
expect "DIFFERS: removed( of map.cc is gone"
expect "not compared: $first has no never( of map.cc"
expect "has no checkout of it"
expect "2 differences"
! grep -qF "kept(" "$folder/said"
git checkout -q "$first"
"$python" "$root/tests/data/compare_facts.py" "$folder" "$folder/facts.json" | grep -qF "0 differences"
