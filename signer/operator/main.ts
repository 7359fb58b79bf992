#!/usr/bin/env -S sh -c 'd=$(dirname "$(readlink -f "$0")")/../..; PATH=$d/node_modules/.bin:$d/bin:$PATH exec node --disable-sigusr1 "$0" "$@"'
import "../process/refuse-debugger.ts"
import { run } from "./run.ts"

process.exitCode = await run(process.argv.slice(2), process.env)
