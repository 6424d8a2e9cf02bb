# Whether every element of a page is closed where it must be.
import sys
from html.parser import HTMLParser

VOID = {"meta", "br"}


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()


page = Balance()
page.feed(open(sys.argv[1]).read())
page.close()
assert not page.open, page.open
print("balanced")
