"""What the documents show is what happens."""

import doctest
import pathlib

ROOT = pathlib.Path(__file__).parents[2]


def test_the_readme():
    result = doctest.testfile(str(ROOT / "python/README.md"), module_relative=False)
    assert result.attempted and not result.failed
