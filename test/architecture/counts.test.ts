// Sentences with a number and a noun say "1 file" and "2 files". A noun that is counted in one sentence is counted in all.
import t from "tap"
import { counted } from "../../signer/core/counted.ts"
import { sourcesIn } from "./sources.ts"

t.test("one thing is named in the singular, any other number in the plural", async (t) => {
  t.equal(counted(1, "file"), "1 file")
  t.equal(counted(1n, "leaf", "leaves"), "1 leaf")
  for (const number of [0, 2, 11, 101]) t.equal(counted(number, "file"), `${number} files`)
  t.equal(counted(0n, "leaf", "leaves"), "0 leaves")
  t.equal(counted(1.5, "second"), "1.5 seconds", "a fraction is no fault")
})

/** The arguments of a call of the helper behind its number: a noun, and its plural if that has no rule. */
const CALL = /\bcounted\(.*?, "([^"]+)"(?:, "([^"]+)")?\)/g

/** A number in a text, up to two other words, and a word that may be a plural. */
const NUMBER = /\$\{((?:[^{}]|\{[^{}]*\})*)\} ((?:[a-zA-Z]+ ){0,2}?)([a-z]+)\b/g

/** Numbers that are limits: none of them is 1. */
const LIMIT = /^(?:[A-Z_0-9. ()/*]+|.*(?:\b[mM]ax|\bMAX_|\b[lL]imit|[mM]inimum).*)$/s

/** Numbers that are never 1, and words that are none: each with the reason. */
const OTHERS: { readonly [place: string]: string } = {
  "services/cli/policies/read-file.ts: checks": "a verb",
  "services/dashboard/api/verify.ts: votes": "one vote has its own sentence",
  "services/dashboard/pages/home/checklist.tsx: checks": "the list is longer",
  "services/dashboard/words/foretold.ts: activities": "one activity has its own sentence",
  "services/dashboard/words/recipes.ts: calls": "a verb",
  "services/node/run.ts: calls": "a verb",
  "services/policy-advice/lint-comparisons.ts: characters": "one character has its own sentence",
  "services/terminal-client/changes/waiting.ts: votes": "one vote has its own sentence",
  "services/terminal-client/files/value-file.ts: bytes": "more than are read",
  "signer/core/contract-interface/index.ts: functions": "more than there may be",
  "signer/core/holder-acts/act-gate.ts: holders": "there are two or more",
  "signer/core/holder-acts/approval.ts: holders": "there are two or more",
  "signer/core/modules/login/words.ts: seconds": "as the request spells the number",
  "signer/core/modules/policies/words/velocity.ts: seconds": "as the request spells the number",
  "signer/core/modules/transactions/words/ethereum-send.ts: calls": "one call has its own sentence",
  "signer/core/oidc/jws.ts: keys": "none, or more than are tried",
  "signer/core/policy/language/lexer.ts: digits": "more than a number may have",
  "signer/core/seal-commands/slot-command.ts: seconds": "a limit",
  "signer/core/transaction/bitcoin/timelock.ts: seconds": "a multiple of 512",
  "signer/core/transaction/ethereum/transaction.ts: fields": "a transaction has several",
  "signer/core/transaction/refusal.ts: transactions": "a chain's name",
  "signer/core/transaction/solana/transaction.ts: calls": "a verb",
  "signer/enclave/execution/workspace/new-version.ts: bytes": "more than a document may have",
  "signer/enclave/keys/payload.ts: bytes": "published clients know the sentence",
  "signer/enclave/modules/transactions/transaction-chains.ts: transactions": "a chain's name",
  "signer/enclave/modules/wallets/create-private-keys.ts: addresses": "more than there may be",
  "signer/operator/ceremony/ceremony.ts: holders": "there are two or more",
  "signer/operator/ceremony/change-file.ts: holders": "there are two or more",
}

t.test("no sentence of a program names one thing in the plural", async (t) => {
  const sources = ["signer", "services", "proto"]
    .flatMap(sourcesIn)
    .filter(({ path }) => !path.startsWith("proto/gen/"))
  const nouns = new Set(
    sources.flatMap(({ text }) =>
      [...text.matchAll(CALL)].map(([, noun = "", plural = `${noun}s`]) => plural.split(" ").at(-1)),
    ),
  )
  t.ok(nouns.size > 30 && nouns.has("leaves") && nouns.has("files"), [...nouns].join(" "))
  const found = sources.flatMap(({ path, text }) =>
    [...text.matchAll(NUMBER)].flatMap(([, number = "", , noun = ""]) =>
      nouns.has(noun) && !LIMIT.test(number) ? `${path}: ${noun}` : [],
    ),
  )
  t.strictSame(
    [...new Set(found)].toSorted(),
    Object.keys(OTHERS).toSorted(),
    "use counted() of signer/core/counted.ts",
  )
})
