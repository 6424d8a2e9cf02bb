#!/usr/bin/env bash
# docs_test.sh ROOT FOLDER: `./dev docs` builds the documents, whose links all lead somewhere, also those
# to a heading of a page; and a link to what is not there fails.
set -euo pipefail
root=$1 folder=$2
command -v mkdocs >/dev/null || { echo "mkdocs is missing; ./dev setup installs it"; exit 77; }
"$root/dev" docs "$folder" 2>&1
site=$folder/site
for page in index docs/index docs/layout docs/run bench/records/index python/README ARCHITECTURE; do
  [ -f "$site/$page.html" ] || [ -f "$site/${page%README}index.html" ] || { echo "no page $page"; exit 1; }
done
grep -q '"location":"docs/banks.html' "$site/search/search_index.json" || { echo "nothing to search"; exit 1; }

# mkdocs does not look whether a page has the heading that a link names.
python3 - "$site" <<'P'
import pathlib, re, sys
from urllib.parse import unquote
site = pathlib.Path(sys.argv[1])
pages = {path: path.read_text() for path in site.rglob("*.html") if path.name not in ("404.html", "page.html")}
wrong, links = 0, 0
for path, text in pages.items():
    for page, heading in re.findall(r'href="([^"#:?]*)#([^"]+)"', text):
        target = (path.parent / page).resolve() if page not in ("", ".") else path
        if target.is_dir():
            target /= "index.html"
        links += 1
        if target in pages and f'id="{unquote(heading)}"' not in pages[target]:
            print(f"{path.relative_to(site)}: {page}#{heading}: no such heading")
            wrong += 1
print(f"{len(pages)} pages, {links} links to headings")
sys.exit(1 if wrong or links < 50 else 0)
P

echo '[nothing](nothing.md)' >>"$folder/source/docs/layout.md"
if (cd "$root" && HEDDLE_DOCS_SOURCE=$folder/source mkdocs build --strict --site-dir "$folder/broken" >/dev/null 2>&1); then
  echo "mkdocs passes over a link to what is not there"
  exit 1
fi
