import t from "tap"
import { IMAGE_PACKAGES } from "../../scripts/generators/image-packages.ts"
import {
  faultsOfImports,
  faultsOfPurity,
  faultsOfWalls,
  readImports,
  roomOf,
  type Source,
  unusedPermissions,
} from "./import-faults.ts"
import { computedImports, rules } from "./rooms.ts"
import type { Rules } from "./rooms/rule.ts"
import { sourcesIn } from "./sources.ts"

const guarded = ["proto", "signer", "services"].flatMap(sourcesIn)
const others = ["bench", "examples", "scripts"].flatMap(sourcesIn)

t.test("every room imports only what its rule opens to it", async (t) => {
  t.ok(guarded.length > 50)
  const allowed = Object.keys(computedImports)
  t.strictSame(
    guarded.flatMap((source) => faultsOfImports(source, rules, allowed)),
    [],
  )
})

t.test("every permission is used", async (t) => {
  t.strictSame(unusedPermissions(guarded, rules), [])
  const few: Rules = { "signer/a": { rooms: ["signer/b"], packages: ["x"], builtins: ["fs"] } }
  const source = { path: "signer/a/c.ts", text: 'import { x } from "x"\nimport "../b/d.ts"' }
  t.strictSame(unusedPermissions([source], few), ["signer/a: node:fs"])
  t.strictSame(unusedPermissions([], few), ["signer/a: has no file"])
})

t.test("the signer imports no service, services not one another, and nothing imports tests", async (t) => {
  t.strictSame([...guarded, ...others].flatMap(faultsOfWalls), [])
})

t.test("the signer has no lint, explanation or suggestion of policies", async (t) => {
  const advice = /^export .*\b(?:advi[cs]e|explain|hint|lint|suggest|warning)/im
  const policy = guarded.filter(({ path }) => path.startsWith("signer/core/policy/"))
  t.ok(policy.length > 30)
  t.strictSame(
    policy.filter(({ text }) => advice.test(text)).map(({ path }) => path),
    [],
  )
  t.ok(advice.test("export function lintFaults()"))
})

t.test("rooms that only see their arguments touch neither clock, environment, network nor log", async (t) => {
  const pure = guarded.filter(({ path }) => rules[roomOf(path, rules) ?? ""]?.pure)
  t.ok(pure.length > 30)
  t.strictSame(pure.flatMap(faultsOfPurity), [])
})

t.test("the signer's packages are an agreed few", async (t) => {
  const isOfImage = (room: string) => room.startsWith("signer") && !room.startsWith("signer/fetcher")
  const signer = Object.entries(rules).filter(([room]) => isOfImage(room))
  const packages = new Set(signer.flatMap(([, { packages = [] }]) => packages))
  t.strictSame(
    [...packages].toSorted(),
    [
      "@bufbuild/protobuf",
      "@grpc/grpc-js",
      "@noble/ciphers",
      "@noble/curves",
      "@noble/hashes",
      "@scure/base",
      "@scure/bip39",
      "secp256k1/bindings.js",
      "shamir-secret-sharing",
      "tiny-secp256k1",
      "uqr",
    ].toSorted(),
  )
  const installed = [...packages].map((name) => name.replace("/bindings.js", ""))
  t.strictSame(IMAGE_PACKAGES["signer"]?.toSorted(), installed.toSorted(), "its image installs the same")
})

t.test("the import check reads every form of import", async (t) => {
  const text = [
    'import t from "a"',
    'import { type B, c } from "./b.ts"',
    "import {\n  d,\n  e,\n} from '../c.ts'",
    'import type { F } from "d"',
    'import "./e.ts"',
    'export * from "./f.ts"',
    'export { g } from "./g.ts"',
    'const h = await import("./h.ts")',
    'const i = require("i")',
    'export const from = "nothing"',
  ].join("\n")
  t.strictSame(readImports(text).specifiers.toSorted(), [
    "../c.ts",
    "./b.ts",
    "./e.ts",
    "./f.ts",
    "./g.ts",
    "./h.ts",
    "a",
    "d",
    "i",
  ])
  t.notOk(readImports(text).computed)
  t.ok(readImports("await import(path)").computed)
  t.ok(readImports('import { createRequire } from "node:module"').computed)
})

t.test("the import check reports a breach of the table", async (t) => {
  const few: Rules = {
    "signer/enclave/keys": {
      rooms: ["signer/core/refusal.ts"],
      packages: ["@noble/curves"],
      builtins: ["crypto"],
      pure: true,
    },
    "services/api": { rooms: ["services/common"], builtins: "any" },
  }
  const inKeys = (text: string): Source => ({ path: "signer/enclave/keys/address/x.ts", text })
  const faults = (text: string) => faultsOfImports(inKeys(text), few)
  t.strictSame(faults('import { a } from "../curve.ts"\nimport { b } from "../../../core/refusal.ts"'), [])
  t.strictSame(faults('import { c } from "@noble/curves/p256.js"\nimport { d } from "node:crypto"'), [])
  t.match(faults('import { e } from "../../ledger/local.ts"'), [
    /must not import signer\/enclave\/ledger\/local.ts/,
  ])
  t.match(faults('import { e } from "../../../core/refusal.ts.ts"'), [
    /must not import signer\/core\/refusal.ts.ts/,
  ])
  t.match(faults('import fs from "node:fs"'), [/must not import node:fs/])
  t.match(faults('import koa from "koa"'), [/must not import the package koa/])
  t.match(faults('import { f } from "@noble/curves-2"'), [/the package @noble\/curves-2/])
  t.match(faults("await import(name)"), [/decides at run time/])
  t.match(faultsOfImports({ path: "signer/new/x.ts", text: "" }, few), [/no rule for this room/])
})

t.test("the import check reports an import across zones", async (t) => {
  const walls = (path: string, specifier: string) =>
    faultsOfWalls({ path, text: `import { a } from "${specifier}"` })
  t.match(walls("signer/core/refusal.ts", "../../services/common/lru.ts"), [/the signer imports services/])
  t.match(walls("services/api/http/app.ts", "../../../signer/enclave/main.ts"), [/not in signer\/core/])
  t.strictSame(walls("services/api/http/app.ts", "../../policy-advice/index.ts"), [])
  t.match(walls("services/cli/main.ts", "../api/app.ts"), [/the service cli imports the service api/])
  t.match(walls("services/common/lru.ts", "../api/app.ts"), [/the service common imports the service api/])
  t.match(walls("bench/main.ts", "../test/harness/database.ts"), [/imports test\/harness/])
  t.strictSame(walls("services/cli/main.ts", "../common/config.ts"), [])
  t.strictSame(walls("services/cli/dev/a.ts", "../exit.ts"), [])
  t.strictSame(walls("test/e2e/a.test.ts", "../harness/database.ts"), [])
  const users = "signer/enclave/modules/users"
  t.match(walls(`${users}/a.ts`, "../wallets/b.ts"), [/only an index of modules may/])
  t.match(walls("signer/enclave/execution/execute.ts", "../modules/users/a.ts"), [
    /only an index of modules may/,
  ])
  t.strictSame(walls(`${users}/a.ts`, "./b.ts"), [])
  t.strictSame(walls("signer/enclave/modules/index.ts", "./users/a.ts"), [])
  t.strictSame(walls("signer/enclave/modules/powers.ts", "./users/powers/powers.ts"), [])
  t.strictSame(
    walls(`${users}/a.ts`, "../../../core/modules/users/b.ts"),
    [],
    "the pure half of its own module",
  )
  t.match(walls(`${users}/a.ts`, "../../../core/modules/wallets/b.ts"), [/only an index of modules may/])
  t.match(walls("signer/core/policy/facts/index.ts", "../../modules/wallets/facts.ts"), [
    /only an index of modules may/,
  ])
  t.strictSame(walls("signer/core/policy/facts/index.ts", "../../modules/facts.ts"), [])
  for (const part of ["./powers/powers.ts", "./calls/calls.ts", "./keys/keys.ts"])
    t.match(walls(`${users}/a.ts`, part), [/activities get powers from their context alone/])
  t.strictSame(walls("signer/enclave/execution/execute.ts", "../modules/index.ts"), [])
})

t.test("the import check reports a pure room that touches clock, network or log", async (t) => {
  const faults = (text: string) => faultsOfPurity({ path: "signer/core/policy/decision/x.ts", text })
  t.strictSame(
    faults("// Date.now() is handed in\n/* process.env */ const a = clock.now()\nrecords.process.b()"),
    [],
  )
  t.match(faults("const a = Date.now()"), [/the clock/])
  t.match(faults("const a = new Date()"), [/the clock/])
  t.strictSame(faults("const a = new Date(ms)"), [])
  t.match(faults("const a = process.env.HOME"), [/the process/])
  t.match(faults("await fetch(url); console.log(1); setTimeout(f, 1); Math.random()"), [
    /timers/,
    /the network/,
    /the log/,
    /chance/,
  ])
})
