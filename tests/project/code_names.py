"""code_names.py FILE …: a line for each file, a name for its code and its path.

The name stays the same when comments or spaces change, except for comments that tell clang-tidy something.
"""

import hashlib
import pathlib
import re
import sys

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|R"(?P<end>[^()\\\s]{0,16})\(.*?\)(?P=end)" """.strip() +
    r"""|"(?:\\.|[^"\\\n])*"|\b\d[\w.']*|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def code_of(text: str) -> str:
    def kept(match: "re.Match[str]") -> str:
        comment = match["comment"]
        return match[0] if comment is None or "NOLINT" in comment else " "

    return " ".join(TOKEN.sub(kept, text).split())


if __name__ == "__main__":
    for name in sys.argv[1:]:
        code = code_of(pathlib.Path(name).read_text(encoding="utf-8"))
        print(f"{hashlib.sha1(code.encode()).hexdigest()}\t{name}")
