// The text of an act, which holders read and sign.
import t from "tap"
import { readActText, requireOfHolders, writeActText } from "../../../../signer/core/holder-acts/act-text.ts"
import { ACT_NAMES, type HolderAct } from "../../../../signer/core/holder-acts/acts.ts"
import { holdersDigest } from "../../../../signer/core/sealed-seed/holders.ts"
import { holders as newHolders } from "../../../harness/holder-keys.ts"
import { DEPLOYMENT } from "../sealed-seed/sets.ts"

const publicKeys = newHolders(3).map(({ publicKey }) => publicKey)
const HOLDERS = { deploymentId: DEPLOYMENT, generation: 2, threshold: 2, publicKeys }
const TERMS = { nonce: Buffer.alloc(16, 7), expiresAtMs: Date.UTC(2027, 0, 2, 3, 4, 5) }
const ACT: HolderAct = {
  name: "accept-ledger",
  parameters: [["Restored", "yes"]],
  noted: [["Found", "the document of an organization: newer"]],
}

t.test(
  "C-1740: the text of an act has its meaning, all parameters, deployment, holders, nonce and expiry",
  async (t) => {
    const digest = Buffer.from(holdersDigest(HOLDERS)).toString("hex")
    t.equal(
      writeActText(ACT, HOLDERS, TERMS),
      `countersign/v1/holder-act
Act:           accept-ledger
Meaning:       The signer goes on with a ledger that is older than state which it signed. All newer state is given up for good.
Restored:      yes
Found:         the document of an organization: newer
Deployment:    ${DEPLOYMENT}
Generation:    2
Holders:       2 of 3, ${digest.slice(0, 16)}
Nonce:         ${"07".repeat(16)}
Expires:       2027-01-02T03:04:05.000Z
`,
    )
  },
)

t.test("each act has a meaning of its own", async (t) => {
  const texts = ACT_NAMES.map((name) => writeActText({ name, parameters: [] }, HOLDERS, TERMS))
  const meanings = texts.map((text) => /^Meaning: +(.{40,})$/m.exec(text)?.[1])
  t.notOk(meanings.includes(undefined))
  t.equal(new Set(meanings).size, ACT_NAMES.length)
})

t.test("a text is read as it was written", async (t) => {
  const text = writeActText(ACT, HOLDERS, TERMS)
  const read = readActText(Buffer.from(text))
  t.match(read, { text, act: "accept-ledger", deploymentId: DEPLOYMENT, expiresAtMs: TERMS.expiresAtMs })
  t.strictSame(Buffer.from(read.nonce), TERMS.nonce)
  requireOfHolders(read, HOLDERS)
})

t.test("a text that a terminal would obey, or that is none, is refused", async (t) => {
  const text = writeActText(ACT, HOLDERS, TERMS)
  const altered = [
    "",
    "accept-ledger",
    text.slice(1),
    text.slice(0, -1),
    `${text}\n`,
    `${text}Act:           setup-code\n`,
    text.replace("Restored:      yes", "Restored:      y\u001b[2Jes"),
    text.replace("Restored:      yes", "Restored:      y\u0000es"),
    text.replace("Restored:      yes", "Restored:"),
    text.replace("Restored:      yes", "restored: yes"),
    text.replace(/^Nonce:.*$/m, "Nonce:         7"),
    text.replace(/^Nonce:.*\n/m, ""),
    text.replace(/^Expires:.*$/m, "Expires:       soon"),
    text.replace("Restored:      yes", `Restored:      ${"y".repeat(9000)}`),
  ]
  for (const one of altered)
    t.throws(
      () => readActText(Buffer.from(one)),
      { code: "APPROVAL_MALFORMED" },
      JSON.stringify(one.slice(0, 80)),
    )
  t.throws(() => writeActText({ ...ACT, noted: [["Found", "\u001b[2J"]] }, HOLDERS, TERMS), RangeError)
  t.throws(() => writeActText({ ...ACT, noted: [["Found", "a\nAct: b"]] }, HOLDERS, TERMS), RangeError)
})

t.test("a text of another deployment, generation, threshold or list of holders is foreign", async (t) => {
  const read = readActText(Buffer.from(writeActText(ACT, HOLDERS, TERMS)))
  const others = [
    { ...HOLDERS, deploymentId: DEPLOYMENT.replace("0199", "0198") },
    { ...HOLDERS, generation: 3 },
    { ...HOLDERS, threshold: 3 },
    { ...HOLDERS, publicKeys: publicKeys.toReversed() },
    { ...HOLDERS, publicKeys: publicKeys.slice(0, 2) },
    { ...HOLDERS, publicKeys: [...publicKeys.slice(0, 2), newHolders(1)[0]!.publicKey] },
  ]
  for (const other of others) t.throws(() => requireOfHolders(read, other), { code: "APPROVAL_FOREIGN" })
})
