import numpy as np

from scenes.frames import DataFrame, Series


def compute():
    days = Series(["2020", "2021"], np.dtype("datetime64[ns]"))
    return {"days": days, "df": DataFrame({"a": [1, None]}), "table": DataFrame({"a]": [1, 2]})}
