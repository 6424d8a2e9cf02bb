// What has no end, and what is no file.
// RUN: not %heddle-opt /dev/zero 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not %heddle-opt %S 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not %heddle-opt %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// ENDLESS: '/dev/zero' has more than 256 MiB
// FOLDER: cannot read '{{.*}}': Is a directory
// NONE: cannot read '{{.*}}': No such file or directory
