from functools import cached_property

from .driver import driver


class Autotuner:
    """The part of Triton's that measures: `timings` of configurations, and the least of them."""

    def __init__(self, fn, configs, do_bench=None):
        self.fn, self.configs, self._do_bench = fn, configs, do_bench

    @cached_property
    def do_bench(self):
        if self._do_bench is None:
            return driver.active.get_benchmarker()
        return self._do_bench

    def run(self, *args, **kwargs):
        timings = {
            each: self.do_bench(lambda each=each: self.fn(each), quantiles=(0.5, 0.2, 0.8)) for each in self.configs
        }
        self.best_config = min(timings, key=timings.get)
        return self.fn(self.best_config)
