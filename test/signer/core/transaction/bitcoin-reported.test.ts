// PSBTs that people reported, made anew for a key of the test in their shape: bitcoinjs-lib finalizes what is signed.
import { crypto, initEccLib, Psbt, Transaction } from "bitcoinjs-lib"
import { Transaction as ScureTransaction } from "@scure/btc-signer"
import t from "tap"
import * as ecc from "tiny-secp256k1"
import { readBitcoinSigning } from "../../../../signer/core/transaction/bitcoin/sign.ts"
import { tapTweakOf, taprootOutputKey } from "../../../../signer/enclave/keys/address/taproot.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { keys, OWN } from "./bitcoin-judge.ts"

initEccLib(ecc)

type Reported = { name: string; psbt: string }
const { psbts } = ownVectors<{ psbts: Reported[] }>("reported")

const bytes = (hex: string) => Buffer.from(hex, "hex")
const hexOf = (some: Uint8Array) => Buffer.from(some).toString("hex")
const hash160 = (hex: string) => hexOf(crypto.hash160(bytes(hex)))

/** Root of the script tree of one reported PSBT. */
const ROOT = "7ab6c9b9c4c72f413a285cea3d2f3b5dbcd2eb22dd60cbb031de9116c2b16c9f"
const THEIRS = "0354144be83cbc1999f0bdd0461499c2ff8ff7f4d1ea80751b57688600964546f2"
const LOCKED = `0300350cb17521${THEIRS}ac`
const ownHash = hash160(hexOf(OWN))

/** Keys, hashes and scripts of the reported PSBTs, each with the test's own in its place; inner ones first. */
const REPLACED: readonly (readonly [string, string])[] = [
  ["0f080d474b20076b5edf946f2889db0f1d836a64", ownHash],
  ["234d44ee8cadc31ff5fe98d70fd583e949b58748", ownHash],
  ["dfd6bce27f5d6a3a009e0f5c95319da60951c1bc", ownHash],
  ["1905757e7f075d241ecb8c39eb3ed7862606f4eb", hash160(`0014${ownHash}`)],
  ["aa0177cdb8f78bbc66359604ecdc203bb98721a95405b2f328faa0c9a4fa88ec", hexOf(OWN.subarray(1))],
  ["be02ab462133f6338c5236252d5c3c3a0848992ef6f692d26c1c137f5801ff7a", hexOf(taprootOutputKey(OWN))],
  [
    "ad88fdf8402e6c29df9f4af776be85be203915c69b38b946bd7c51e24cfa9de4",
    hexOf(taprootOutputKey(OWN, bytes(ROOT))),
  ],
  [THEIRS, hexOf(OWN)],
  [
    "30ad8ba9ff2d5adff057e36498bbbd3d8fc55f7e68c30ab1eba5526b23d6f282",
    hexOf(crypto.sha256(bytes(LOCKED.replace(THEIRS, hexOf(OWN))))),
  ],
]

const replaced = (hex: string) => REPLACED.reduce((text, [theirs, own]) => text.replaceAll(theirs, own), hex)

/** A reported PSBT for the key of the test. The ids of previous transactions follow from their outputs. */
function madeAnew({ psbt }: Reported): Buffer {
  const previous = isVersion2(psbt)
    ? []
    : Psbt.fromHex(psbt).data.inputs.flatMap(({ nonWitnessUtxo }) => nonWitnessUtxo ?? [])
  const idOf = (hex: string) => hexOf(Transaction.fromHex(hex).getHash())
  const ids = previous.map(hexOf).map((hex) => [idOf(hex), idOf(replaced(hex))] as const)
  return bytes(ids.reduce((text, [theirs, own]) => text.replaceAll(theirs, own), replaced(psbt)))
}

const isVersion2 = (psbt: string) => psbt.includes("01fb0402000000")

/** Names of PSBTs that are refused, with the sentence of each. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  "two witness key hashes without their previous transactions":
    /input 0 comes without a proof of its amount: add its previous transaction/,
  "Taproot that asks for SINGLE and ANYONECANPAY":
    /sighash_type of input 0 must be DEFAULT, 0, or ALL, 1, or left out/,
  "Taproot with a script alone":
    /a script tree of P2TR tap_merkle_root; a P2TR address signs .* by their key path/,
}

for (const reported of psbts) {
  const { name } = reported
  const isTaproot = name.startsWith("Taproot")
  const key = isTaproot ? keys.taproot : keys.ecdsa
  const refusal = REFUSED[name]
  t.test(`${refusal === undefined ? "signs" : "refuses by name"} ${name}, as reported`, async (t) => {
    const psbt = madeAnew(reported)
    if (refusal !== undefined) {
      t.throws(() => readBitcoinSigning(psbt, key), { message: refusal })
      return
    }
    const signing = readBitcoinSigning(psbt, key)
    const signatures = signing.inputs.map(({ digest, merkleRoot }) =>
      isTaproot ? schnorr(digest(), merkleRoot) : ecc.sign(digest(), new Uint8Array(32).fill(7)),
    )
    const signed = signing.withSignatures(signatures)
    if (isVersion2(reported.psbt)) {
      const judged = ScureTransaction.fromPSBT(Uint8Array.from(signed))
      judged.finalize()
      t.equal(hexOf(judged.getInput(0).finalScriptWitness?.[1] ?? bytes("")), hexOf(OWN))
      return
    }
    const judged = Psbt.fromBuffer(signed)
    t.equal(signatures.length, judged.inputCount)
    t.ok(
      judged.validateSignaturesOfAllInputs((publicKey, digest, signature) =>
        isTaproot
          ? ecc.verifySchnorr(digest, publicKey, signature)
          : ecc.verify(digest, publicKey, signature),
      ),
    )
    if (name.includes("time lock")) return
    const [first] = judged.finalizeAllInputs().extractTransaction(true).ins
    t.ok((first?.script.length ?? 0) + (first?.witness.length ?? 0) > 0)
    if (!isTaproot) return
    const [signature = bytes("")] = first?.witness ?? []
    t.equal(hexOf(signature.subarray(64)), name.includes("type ALL") ? "01" : "", "its hash type")
  })
}

/** Signs with the private key of the output (BIP-341). */
function schnorr(digest: Uint8Array, root: Uint8Array | undefined): Uint8Array {
  const secret = new Uint8Array(32).fill(7)
  const even = OWN[0] === 2 ? secret : ecc.privateNegate(secret)
  const tweaked = ecc.privateAdd(even, tapTweakOf(OWN.subarray(1), root))
  return ecc.signSchnorr(digest, tweaked ?? new Uint8Array(32))
}
