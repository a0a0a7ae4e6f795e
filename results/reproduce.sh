#!/usr/bin/env bash
# Makes the runs and lists of this folder anew: results/reproduce.sh FOLDER [JOBS]
# Takes some three hours on one core. Run again after an interrupt, it goes on where it was.
set -euo pipefail
out=$1 jobs=${2:-1}
citadel=${CITADEL:-citadel}
mkdir -p "$out"

# run NAME DEALS RULES...: a run; its unknown deals are searched again with larger budgets, NODES:MEMORY in $again.
run() {
    local folder=$out/$1 deals=$2 budget
    shift 2
    $citadel run --deals "$deals" --out "$folder" --chunk 5000 --jobs "$jobs" --max-nodes 100000 "$@"
    for budget in $again; do
        $citadel run --out "$folder" --retry-unknown --jobs 1 --max-nodes "${budget%:*}" --memory "${budget#*:}"
    done
}

# The five games of eight piles. Deciding all of the last two would take days.
again="2000000:256M 20000000:3G"
run citadel pysol:1000000-1099999 --variant citadel
again="2000000:256M 40000000:3G"
run beleaguered-castle pysol:1000000-1099999 --variant beleaguered-castle
again="2000000:256M 50000000:3G"
run exiled-kings pysol:1000000-1099999 --variant exiled-kings
again="2000000:256M 8000000:1G"
run streets-and-alleys pysol:1000000-1049999 --variant streets-and-alleys
again="2000000:256M 5000000:1G"
run penelopes-web pysol:1000000-1019999 --variant penelopes-web

# Other deals that go by the names of Citadel and Exiled Kings, on the first of the same shuffles
again="2000000:256M 20000000:1G"
for other in "citadel-in-deck-refill --variant citadel --aces in-deck --skim-gap refill" \
    "citadel-in-deck-skip --variant citadel --aces in-deck --skim-gap skip" \
    "citadel-columns --variant citadel --order columns" \
    "citadel-no-skim --variant citadel --skim no" \
    "exiled-kings-columns --variant exiled-kings --order columns"; do
    read -r name rules <<< "$other"
    # shellcheck disable=SC2086 # several words
    run "$name" pysol:1000000-1019999 $rules
done

# All deals of the old numbering
for game in citadel exiled-kings beleaguered-castle streets-and-alleys penelopes-web; do
    [ -e "$out/$game.txt" ] || $citadel winnable --variant "$game" --from pysol:1-31999 --with-effort --jobs "$jobs" \
        --max-nodes 2000000 -o "$out/$game.txt" || [ $? -eq 3 ]
done

# What is said of them
five="$out/citadel $out/exiled-kings $out/beleaguered-castle $out/streets-and-alleys $out/penelopes-web"
others="$out/citadel-in-deck-refill $out/citadel-in-deck-skip $out/citadel-columns $out/citadel-no-skim $out/exiled-kings-columns"
# shellcheck disable=SC2086
{
    $citadel stats $five $others --csv > "$out/summary.csv"
    $citadel report $five -o "$out/report.html"
    $citadel report $five --format md -o "$out/summary.md"
    $citadel report "$out/citadel" "$out/exiled-kings" $others --format md -o "$out/other-deals.md"
}
