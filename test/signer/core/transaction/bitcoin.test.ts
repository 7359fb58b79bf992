// PSBTs: what is accepted means the same to bitcoinjs-lib, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import { Psbt } from "bitcoinjs-lib"
import fc from "fast-check"
import t from "tap"
import { compactSize, sized } from "../../../../signer/core/transaction/bitcoin/cursor.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { readBitcoinSigning } from "../../../../signer/core/transaction/bitcoin/sign.ts"
import type { SpendingKey } from "../../../../signer/core/transaction/bitcoin/spending.ts"
import { readBitcoinTransaction } from "../../../../signer/core/transaction/bitcoin/transaction.ts"
import * as ecc from "tiny-secp256k1"
import {
  type Given,
  keys,
  psbtOf,
  signatureOf,
  signedByJudge,
  textOf,
  textOfJudge,
  transactions,
  UNLOCKED,
  validSignature,
} from "./bitcoin-judge.ts"
import { runsOf } from "../../../harness/long.ts"

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

t.test("fields, digests and the signed PSBT are those of bitcoinjs-lib", async () => {
  fc.assert(
    fc.property(transactions, (given) => {
      const psbt = psbtOf(given)
      const bytes = psbt.toBuffer()
      const [ours, theirs] = [textOf(readBitcoinTransaction(bytes, given.scheme)), textOfJudge(psbt)]
      if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`)
      const signing = readBitcoinSigning(bytes, keys[given.scheme])
      const { digests, signed } = signedByJudge(given, psbt)
      const own = signing.inputs.map(({ digest }) => hexOf(digest()))
      if (own.join() !== digests.join()) throw new Error(`${own.join()} is not ${digests.join()}`)
      const whole = hexOf(signing.withSignatures(signing.inputs.map(({ digest }) => signatureOf(digest()))))
      if (whole !== signed) throw new Error(`${whole} is not ${signed}`)
    }),
    { numRuns: runsOf(200) },
  )
})

/** Shapes of PSBTs that wallets make. */
const SHAPES: { [shape: string]: Partial<Given> & { kind: Given["inputs"][number]["kind"]; more?: object } } =
  {
    "a public key hash": { kind: "pkh" },
    "a witness in a script hash": { kind: "sh(wpkh)" },
    "a witness key hash": { kind: "wpkh" },
    "a witness key hash with its previous transaction": { kind: "wpkh", more: { isProven: true } },
    "a locked witness script": { kind: "wsh(lock)", ...UNLOCKED, more: { sequence: UNLOCKED.sequence } },
    "Taproot, DEFAULT": { kind: "tr", scheme: "taproot" },
    "Taproot, ALL": { kind: "tr", scheme: "taproot", more: { asksForAll: true } },
    "Taproot with a script tree": { kind: "tr(tree)", scheme: "taproot" },
  }

for (const [shape, { kind, more, ...rest }] of Object.entries(SHAPES)) {
  t.test(`bitcoinjs-lib finalizes what is signed: ${shape}`, async (t) => {
    const input = { kind, isOwn: true, value: 100_000, sequence: 0xffff_fffd, isProven: false, ...more }
    const outputs = [{ kind: "wpkh" as const, value: 90_000 }]
    const given: Given = { scheme: "ecdsa", inputs: [input], outputs, version: 2, locktime: 0, ...rest }
    const unsigned = psbtOf(given)
    // A runestone begins with OP_RETURN OP_13.
    unsigned.addOutput({ script: Uint8Array.of(0x6a, 0x5d, 2, 0x14, 1), value: 0n })
    const signing = readBitcoinSigning(unsigned.toBuffer(), keys[given.scheme])
    const signatures = signing.inputs.map(({ digest }) => validSignature(digest(), given))
    const signed = Psbt.fromBuffer(signing.withSignatures(signatures))
    const isValid = signed.validateSignaturesOfAllInputs((publicKey, digest, signature) =>
      publicKey.length === 32
        ? ecc.verifySchnorr(digest, publicKey, signature)
        : ecc.verify(digest, publicKey, signature),
    )
    t.ok(isValid)
    if (kind === "wsh(lock)") return
    const { ins } = signed.finalizeAllInputs().extractTransaction()
    const [{ script, witness } = { script: [], witness: [] }] = ins
    t.ok(script.length + witness.length > 0)
    if (shape.startsWith("Taproot")) t.equal(witness[0]?.length, shape === "Taproot, ALL" ? 65 : 64)
  })
}

/** Fields that policies would see, and the digests; undefined: refused. */
function read(bytes: Uint8Array, key: SpendingKey): { seen: string; digests: string[] } | undefined {
  try {
    const seen = textOf(readBitcoinTransaction(bytes, key.scheme))
    return { seen, digests: readBitcoinSigning(bytes, key).inputs.map(({ digest }) => hexOf(digest())) }
  } catch (fault) {
    if (isFault(fault, "transaction")) return undefined
    if (fault instanceof Refusal && fault.code === "TRANSACTION_SIGNER_MISSING") return undefined
    throw fault
  }
}

t.test(
  "a changed byte is refused, or is read as bitcoinjs-lib reads it, and no digest of another stays",
  async (t) => {
    let [accepted, others] = [0, 0]
    fc.assert(
      fc.property(transactions, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, mask) => {
        const bytes = Buffer.from(psbtOf(given).toBuffer())
        const key = keys[given.scheme]
        const before = read(bytes, key)
        const changed = Buffer.from(bytes)
        const at = place % changed.length
        changed[at] = (changed[at] ?? 0) ^ mask
        const after = read(changed, key)
        if (after === undefined) return
        accepted += 1
        if (after.seen !== textOfJudge(Psbt.fromBuffer(changed)))
          throw new Error(`read differently: ${hexOf(changed)}`)
        if (after.seen === before?.seen) return
        others += 1
        const same = after.digests.filter((digest) => before?.digests.includes(digest))
        if (same.length > 0)
          throw new Error(`byte ${at} ^ ${mask} is seen, and signed alike: ${hexOf(bytes)}`)
      }),
      { numRuns: runsOf(1000) },
    )
    t.ok(others > runsOf(50), `${accepted} changes are accepted, of them ${others} are other transactions`)
  },
)

t.test("bytes removed or doubled are refused, or are read as bitcoinjs-lib reads them", async () => {
  fc.assert(
    fc.property(transactions, fc.nat(), fc.nat(40), fc.boolean(), (given, place, length, isDoubled) => {
      const bytes = Buffer.from(psbtOf(given).toBuffer())
      const at = place % bytes.length
      const piece = bytes.subarray(at, at + length)
      const changed = Buffer.concat([
        bytes.subarray(0, at),
        ...(isDoubled ? [piece, piece] : []),
        bytes.subarray(at + length),
      ])
      const after = read(changed, keys[given.scheme])
      if (after !== undefined && after.seen !== textOfJudge(Psbt.fromBuffer(changed)))
        throw new Error(`read differently: ${hexOf(changed)}`)
    }),
    { numRuns: runsOf(400) },
  )
})

t.test("1,000 outputs are read, and no transaction that nodes do not take", async (t) => {
  const small = Buffer.from(
    psbtOf({
      scheme: "ecdsa",
      inputs: [{ kind: "wpkh", isOwn: true, value: 2 ** 40, sequence: 0, isProven: false }],
      outputs: [{ kind: "wpkh", value: 1000 }],
      version: 2,
      locktime: 0,
    }).toBuffer(),
  )
  /** Version and input of the unsigned transaction; its output; its lock time and the input's map. */
  const [head, output, tail] = [small.subarray(8, 54), small.subarray(55, 86), small.subarray(86, -1)]
  const large = (count: number) => {
    const outputs = Buffer.concat([compactSize(count), ...Array.from({ length: count }, () => output)])
    const unsigned = Buffer.concat([head, outputs, tail.subarray(0, 4)])
    return Buffer.concat([small.subarray(0, 7), sized(unsigned), tail.subarray(4), Buffer.alloc(count)])
  }
  t.equal(readBitcoinTransaction(large(1000), "ecdsa").outputs.length, 1000)
  t.throws(() => readBitcoinTransaction(large(3300), "ecdsa"), { message: /more than 100000 bytes/ })
})
