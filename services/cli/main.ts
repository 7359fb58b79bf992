#!/usr/bin/env -S sh -c 'd=$(dirname "$(readlink -f "$0")")/../..; PATH=$d/node_modules/.bin:$d/bin:$PATH exec node --disable-sigusr1 "$0" "$@"'
import "../common/refuse-debugger.ts"
import { enableCompileCache } from "node:module"
import { COMPILE_CACHE } from "../dev/compile-cache.ts"

// Compiling takes half of a short command's time. Static imports would be compiled before the cache's folder is set.
enableCompileCache(COMPILE_CACHE)
const { PROGRAMS, runProgram } = await import("./programs.ts")
const { run } = await import("./run.ts")
const { ignoreClosedOutput } = await import("../terminal-client/terminal.ts")

ignoreClosedOutput()
const [first = "", ...rest] = process.argv.slice(2)
process.exitCode = Object.hasOwn(PROGRAMS, first)
  ? await runProgram(first, rest)
  : await run(process.argv.slice(2))
