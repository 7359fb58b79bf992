// Approvals of a text by keys in files and by passkeys.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { type SignedApproval, requireApprovals } from "../../../../signer/core/holder-acts/approval.ts"
import { Passkey, USER_PRESENT } from "../../../harness/authenticator.ts"
import { Holder, holders as newHolders } from "../../../harness/holder-keys.ts"
import { DEPLOYMENT, subsets } from "../sealed-seed/sets.ts"

const TEXT = Buffer.from("countersign/v1/holder-act\nAct:           accept-clock\n")
const all = newHolders(5)
const HOLDERS = {
  deploymentId: DEPLOYMENT,
  generation: 1,
  threshold: 3,
  publicKeys: all.map(({ publicKey }) => publicKey),
}
const require = (approvals: readonly SignedApproval[]) => requireApprovals(TEXT, approvals, HOLDERS)
const by = (chosen: readonly Holder[]) => chosen.map((holder) => holder.approve(TEXT))

t.test("C-1741: any 3 of 5 holders approve, in any order, no 2 do, and more may", async (t) => {
  for (const three of subsets(all, 3)) {
    require(by(three))
    require(by(three.toReversed()))
  }
  for (const two of subsets(all, 2))
    t.throws(() => require(by(two)), {
      code: "APPROVALS_TOO_FEW",
      message: /^2 of 5 holders .* 3 are needed/,
    })
  require(by(all))
  t.throws(() => require([]), { code: "APPROVALS_TOO_FEW" })
})

t.test("a holder counts once, however often and in whatever way they approve", async (t) => {
  const [one, two] = all as [Holder, Holder]
  for (const again of [one.approve(TEXT), one.approveByPasskey(TEXT)])
    t.throws(() => require([...by([one, two]), again]), {
      code: "APPROVAL_REPEATED",
      message: /^holder 1 approved twice/,
    })
})

t.test("a key that is no holder's, and a signature of another text or key, approve nothing", async (t) => {
  const [one, two, three] = all as [Holder, Holder, Holder]
  const stranger = new Holder()
  t.throws(() => require(by([one, two, stranger])), { code: "APPROVAL_FOREIGN", message: stranger.hex })
  const wrong: SignedApproval[] = [
    three.approve(Buffer.concat([TEXT, Buffer.from("\n")])),
    { ...stranger.approve(TEXT), publicKey: three.publicKey },
    { publicKey: three.publicKey, evidence: { case: "signature", value: Buffer.alloc(70) } },
    { publicKey: three.publicKey, evidence: { case: "signature", value: new Uint8Array() } },
  ]
  for (const approval of wrong)
    t.throws(() => require([...by([one, two]), approval]), { code: "APPROVAL_WRONG", message: /holder 3/ })
  t.throws(() => require([...by(all.slice(0, 4)), { ...wrong[1]!, publicKey: all[4]!.publicKey }]), {
    code: "APPROVAL_WRONG",
  })
  const long = { case: "signature" as const, value: Buffer.alloc(500) }
  for (const evidence of [long, { case: undefined }])
    t.throws(() => require([{ publicKey: one.publicKey, evidence }]), { code: "APPROVAL_MALFORMED" })
})

t.test(
  "C-1744: a passkey approves with its user verified, and with the text's digest as challenge",
  async (t) => {
    const [one, two, three] = all as [Holder, Holder, Holder]
    require([
      one.approve(TEXT),
      two.approveByPasskey(TEXT),
      three.approveByPasskey(TEXT, { rpId: "localhost" }),
    ])
    const wrong = [
      { flags: USER_PRESENT },
      { flags: 4 },
      { type: "webauthn.create" },
      { challenge: Buffer.alloc(32).toString("base64url") },
      { signer: new Passkey().privateKey },
    ]
    for (const departure of wrong)
      t.throws(
        () => require([...by([one, two]), three.approveByPasskey(TEXT, departure)]),
        { code: "APPROVAL_WRONG" },
        JSON.stringify(Object.keys(departure)),
      )
    const approval = three.approveByPasskey(TEXT)
    if (approval.evidence.case !== "passkey") throw new Error("no passkey")
    const { value } = approval.evidence
    for (const part of [
      { authenticatorData: new Uint8Array(3) },
      { clientDataJson: Buffer.from("{") },
      { clientDataJson: Buffer.alloc(5000) },
    ]) {
      const evidence = { case: "passkey" as const, value: { ...value, ...part } }
      t.throws(() => require([{ ...approval, evidence }]), { code: "APPROVAL_MALFORMED" })
    }
  },
)

t.test("signatures of OpenSSL approve too", async (t) => {
  const directory = t.testdir()
  const [one] = all as [Holder]
  const [key, text] = [join(directory, "key.pem"), join(directory, "act.txt")]
  writeFileSync(key, one.privateKey.export({ type: "pkcs8", format: "pem" }))
  writeFileSync(text, TEXT)
  const { stdout, status } = spawnSync("openssl", ["dgst", "-sha256", "-sign", key, text])
  t.equal(status, 0)
  const approval: SignedApproval = {
    publicKey: one.publicKey,
    evidence: { case: "signature", value: stdout },
  }
  require([approval, ...by(all.slice(1, 3))])
})
