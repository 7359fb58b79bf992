// Collections of running processes: whatever is put into one is removed again, or this table names what bounds it.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { ROOT } from "./sources.ts"

const ROOTS = [
  "services/api",
  "services/auth-proxy",
  "services/worker",
  "services/common",
  "services/database",
  "services/chains",
  "signer/core",
  "signer/enclave",
  "signer/fetcher",
  "signer/process",
]

const CONFIGURED = "the operator's settings"
const REQUEST = "one request, with which it ends"
const DOCUMENT = "one organization's document, with which it ends"
const VERIFICATION = "one file that a command verifies"
const UNDER_WAY = "requests under way: a function of the file removes what it is given"

/** Bounds of collections from which their file never removes by their name. */
const BOUNDS: Readonly<Record<string, string>> = {
  "services/api/authentication/organization-store.ts #loading": UNDER_WAY,
  "services/api/authentication/organization-store.ts #renewing": UNDER_WAY,
  "services/api/exports/export-files.ts #keys": "one part of an export",
  "services/api/exports/export-files.ts #receipts": "one part of an export",
  "services/api/http/admission.ts #running": UNDER_WAY,
  "services/api/http/admission.ts #runningOfTopLevel": UNDER_WAY,
  "services/api/sending/nodes.ts #nodes": CONFIGURED,
  "services/api/signer/boot-proofs.ts #stored": "starts of the signer",
  "services/api/signer/boot-proofs.ts #used": "starts of the signer",
  "services/api/signer/witness-courier.ts #known":
    "witnesses of the operator's settings, for each log of the signer",
  "services/api/store/stored-organization.ts #owners": DOCUMENT,
  "services/api/store/stored-organization.ts #users": DOCUMENT,
  "services/common/closing-listener.ts #servers": CONFIGURED,
  "services/common/metrics/metrics.ts #counters": "declared metrics",
  "services/common/metrics/metrics.ts #histograms": "declared metrics",
  "services/database/jobs.ts #looks": CONFIGURED,
  "services/worker/balances/poller.ts #chains": CONFIGURED,
  "services/worker/worker.ts #followers": CONFIGURED,
  "signer/core/audit/chain.ts #numbers": VERIFICATION,
  "signer/core/contract-interface/idl-layout.ts #faults": "types of one interface",
  "signer/core/contract-interface/idl-layout.ts #readableDepths": "types of one interface",
  "signer/core/log/verify/bundle.ts #leaves": VERIFICATION,
  "signer/core/log/verify/counters.ts #runs": VERIFICATION,
  "signer/core/organization/organization.ts #owners": DOCUMENT,
  "signer/core/organization/organization.ts #users": DOCUMENT,
  "signer/core/payload/typed-data/hash.ts #typeHashes": REQUEST,
  "signer/core/policy/decision/guards.ts #exact": DOCUMENT,
  "signer/core/policy/decision/guards.ts #folded": DOCUMENT,
  "signer/core/policy/decision/vote-formula.ts #lists": "one expression",
  "signer/core/policy/decision/vote-formula.ts #opaque": "one expression",
  "signer/core/policy/language/cron.ts zones": "time zones that Node knows, about six hundred",
  "signer/core/transaction/bitcoin/digest.ts #shared": REQUEST,
  "signer/enclave/execution/state/request-parts.ts #made": REQUEST,
  "signer/enclave/execution/workspace/address-rows.ts #entries": REQUEST,
  "signer/enclave/execution/workspace/changes.ts #putNames": REQUEST,
  "signer/enclave/execution/workspace/changes.ts #removedNames": REQUEST,
  "signer/enclave/execution/workspace/context.ts #made": REQUEST,
  "signer/enclave/execution/workspace/fetched-facts.ts #found": REQUEST,
  "signer/enclave/execution/workspace/fetched-facts.ts #refused": REQUEST,
  "signer/enclave/execution/workspace/records.ts #used": REQUEST,
  "signer/enclave/execution/workspace/session-changes.ts #ended": REQUEST,
  "signer/enclave/execution/workspace/session-changes.ts #opened": REQUEST,
  "signer/enclave/ledger/sqlite/statements.ts #prepared": "texts of SQL, whose parts are fixed",
  "signer/enclave/ledger/write-transaction.ts #heads": "one write",
  "signer/enclave/ledger/write-transaction.ts #lanes": "one write",
  "signer/enclave/ledger/write-transaction.ts #overflowShards": "one write",
  "signer/enclave/log/tree.ts #tiles": "an eighth of a byte for each leaf of the log, which is on disk",
  "signer/enclave/log/witnesses.ts #sizes": "keys of the witness policy",
  "signer/process/figures.ts #counts": "codes of refusals",
}

/** Fields and variables that begin as an empty Map, Set or array. */
const EMPTY =
  /^(?: +(?:readonly )?(?<field>#\w+)|(?:export )?(?:const|let) (?<variable>\w+))(?:: [^=\n]+)? = (?:new (?:Map|Set)(?:<[^\n]*>)?\(\)|\[\])$/gm

function collectionsOf(text: string): string[] {
  return [...text.matchAll(EMPTY)].map(({ groups }) => groups?.["field"] ?? groups?.["variable"] ?? "")
}

/** True if the file adds to it. */
function grows(text: string, name: string): boolean {
  return new RegExp(`${name}(?:\\.(?:add|push|set|unshift)\\(|\\[| \\?\\?= )|\\(this\\.${name},`).test(text)
}

/** True if the file removes from it, or begins it anew. */
function shrinks(text: string, name: string): boolean {
  return new RegExp(
    `${name}\\.(?:delete|clear|splice|shift|pop)\\(|${name}\\.length = |^ {2,}(?:this\\.)?${name} = `,
    "m",
  ).test(text.replaceAll(EMPTY, ""))
}

t.test("a collection that is never emptied is found", async (t) => {
  const growing =
    "class A {\n  readonly #all = new Map<string, number>()\n  add() { this.#all.set('', 1) }\n}\n"
  const [name = ""] = collectionsOf(growing)
  t.equal(name, "#all")
  t.ok(grows(growing, name))
  t.notOk(shrinks(growing, name))
  t.ok(shrinks(`${growing}this.#all.delete('')`, name))
})

t.test("C-1923: whatever a process collects it removes, or something bounds it", async (t) => {
  const growing: string[] = []
  let seen = 0
  for (const path of ROOTS.flatMap((root) => globSync(`${root}/**/*.ts`, { cwd: ROOT }))) {
    const text = readFileSync(join(ROOT, path), "utf8")
    for (const name of collectionsOf(text)) {
      seen += 1
      if (grows(text, name) && !shrinks(text, name)) growing.push(`${path} ${name}`)
    }
  }
  t.ok(seen > 100, `${seen} collections`)
  t.strictSame(growing.toSorted(), Object.keys(BOUNDS).toSorted())
})
