import { readFileSync } from "node:fs"
import t from "tap"
import { schnorr } from "@noble/curves/secp256k1.js"
import { secp256k1 as engine } from "../../signer/enclave/keys/engine.ts"
import { publishedFile } from "../harness/vectors.ts"
import { fromHex, toHex } from "../signer/enclave/keys/tools.ts"

const { path, options } = publishedFile("bips/bip-0340.csv")
const WITHOUT_RANDOMNESS = "00".repeat(32)

type Row = {
  secret: string
  publicKey: string
  aux: string
  message: string
  signature: string
  isValid: boolean
}

function readRows(): Row[] {
  const [, ...lines] = readFileSync(path, "utf8").trim().split(/\r?\n/)
  return lines.map((line) => {
    const [, secret = "", publicKey = "", aux = "", message = "", signature = "", result] = line.split(",")
    return { secret, publicKey, aux, message, signature: signature.toLowerCase(), isValid: result === "TRUE" }
  })
}

t.test("Schnorr signatures without auxiliary randomness equal those of BIP-340", options, async (t) => {
  const rows = readRows().filter(
    ({ secret, aux, message }) => secret !== "" && aux === WITHOUT_RANDOMNESS && message.length === 64,
  )
  for (const { secret, message, signature } of rows)
    t.equal(toHex(engine.signSchnorr(fromHex(message), fromHex(secret))), signature)
  t.equal(rows.length, 1)
})

t.test("the tests' Taproot verifier accepts and refuses the vectors of BIP-340", options, async (t) => {
  const rows = readRows()
  for (const { publicKey, message, signature, isValid } of rows)
    t.equal(isAccepted(signature, message, publicKey), isValid, signature)
  t.equal(rows.length, 19)
  t.equal(rows.filter(({ isValid }) => !isValid).length, 10)
})

function isAccepted(signature: string, message: string, publicKey: string): boolean {
  return schnorr.verify(fromHex(signature), fromHex(message), fromHex(publicKey))
}
