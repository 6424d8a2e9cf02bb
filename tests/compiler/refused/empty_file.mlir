// input:1:1: error: no function; accepted: one func.func with one linalg.matmul
