#!/usr/bin/env bash
# Lets flatc write the C++ that the Swift accessors are timed beside.
set -euo pipefail
cd "$(dirname "$0")"

sources=Sources
generated=$sources/WireFormatCPlusPlus/Generated
mkdir -p "$generated"
flatc --cpp --gen-object-api -o "$generated" $sources/Benchmarks/WireFormat/document.fbs
