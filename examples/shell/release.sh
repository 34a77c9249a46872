#!/usr/bin/env bash
# Stands for what really releases.
set -euo pipefail
service=$1 version=$2 region=${3:-everywhere}
echo "releasing $service $version in $region"
