#!/usr/bin/env bash
# Deploys one version once people say where, and that it may: ./deploy.sh 1.4.2
set -euo pipefail
cd "$(dirname "$0")"
version=${1:?Say which version: deploy.sh 1.4.2}

# One name for all that belongs together: run again under it, this script asks nothing twice and deploys nothing twice.
export SIGNOFF_RUN_ID="deploy-api-$version"

region=$(signoff ask "Where does api $version go?" --option eu=Europe --option us="United States" --plain \
  --channel '#deploys' --respondent @ana --wait 1h)

status=0
signoff approve "Deploy api $version to $region?" --body "Rolls one zone at a time." --risk high \
  --channel '#deploys' --approver @ana --approver @ben --wait 2h \
  -- ./release.sh api "$version" "$region" || status=$?

case $status in
  0) echo "api $version is live" ;;
  10 | 12) echo "nobody wants api $version; nothing was deployed" ;;
  11 | 14) echo "nobody decided on api $version yet; nothing was deployed" ;;
  13) echo "api $version was deployed before; nothing was done" ;;
  *) echo "the release of api $version failed" ;;
esac
exit "$status"
