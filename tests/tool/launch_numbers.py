"""Numbers of a launch, as docs/json.md says."""


def value(number, sizes):
    """`sizes`: those that only the launch knows."""
    if not isinstance(number, dict):
        return number
    product = 1
    for part in number["sizes"]:
        size = part["size"]
        product *= -(-(sizes[size] if isinstance(size, str) else size) // part["over"])
    return number["times"] * min(product, number.get("at_most", product))


def launch_for(plan, sizes):
    """That of the first variant which takes these sizes, or else of the kernel."""
    def takes(argument):
        return argument["kind"] != "size" or (
            sizes[argument["size"]] % argument["multiple_of"] == 0 and
            sizes[argument["size"]] <= argument.get("at_most", sizes[argument["size"]]))

    for variant in plan.get("variants", []):
        if all(map(takes, variant["launch"]["arguments"])):
            return variant["launch"]
    return plan["launch"]
