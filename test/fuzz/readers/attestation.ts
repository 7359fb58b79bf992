// Attestation objects of new passkeys, down to the key: its coordinates are those of a point by noble.
import { createHash } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import { CEREMONY_KINDS } from "../../../signer/core/fault.ts"
import { readAttestationObject, requireSoundStatements } from "../../../signer/core/webauthn/attestation.ts"
import { readAuthenticatorData } from "../../../signer/core/webauthn/authenticator-data.ts"
import { credentialKeyName, readCoseKey } from "../../../signer/core/webauthn/cose-key.ts"
import { publishedVectors } from "../../harness/vectors.ts"
import { CborPairs, writeCbor } from "../../harness/cbor-writer.ts"
import { type Reader, requireSame, requireTrue } from "../engine/reader.ts"
import type { Part, TreeFormat } from "../engine/tree.ts"
import { cbor } from "../formats/cbor.ts"
import { isFaultOf } from "./refusals.ts"

const HEAD = 37 + 18

/** The key behind the head of authenticator data is CBOR within CBOR. */
const format: TreeFormat = {
  parse(input) {
    const tree = cbor.parse(input)
    if (tree !== undefined) for (const part of all(tree)) openData(part)
    return tree
  },
  write: (part) => cbor.write(closed(part)),
}

function openData(part: Part): void {
  const { body } = part
  if (part.head !== "2" || Array.isArray(body) || body.length < HEAD + 20) return
  const keyAt = HEAD + body.readUInt16BE(HEAD - 2)
  const key = cbor.parse(body.subarray(keyAt))
  if (key === undefined || keyAt > body.length) return
  Object.assign(part, { head: "data", body: [{ head: "raw", body: body.subarray(0, keyAt) }, key] })
}

function closed({ head, body }: Part): Part {
  if (!Array.isArray(body)) return { head: head === "data" ? "2" : head, body }
  if (head !== "data") return { head, body: body.map(closed) }
  return { head: "2", body: Buffer.concat(body.map((one) => cbor.write(closed(one)))) }
}

function all(part: Part): Part[] {
  return Array.isArray(part.body) ? [part, ...part.body.flatMap(all)] : [part]
}

type Read = { publicKey: Uint8Array; name: string; algorithm: number }

export const attestation: Reader<Read | undefined> = {
  format,
  seeds() {
    const { options, read } = publishedVectors<object>("webauthn/credentials.json")
    const found =
      options.skip === false ? JSON.stringify(read()).matchAll(/"attestationObject":"([0-9a-f]+)"/g) : []
    return [...made(), ...Array.from(found, ([, hex = ""]) => Buffer.from(hex, "hex"))]
  },
  read(input) {
    const object = readAttestationObject(input)
    const { credential } = readAuthenticatorData(object.authenticatorData)
    if (credential === undefined) return undefined
    const { publicKey } = credential
    const key = readCoseKey(publicKey)
    requireSoundStatements(object, createHash("sha256").update("{}").digest(), key)
    return { publicKey, name: credentialKeyName(publicKey), algorithm: key.algorithm }
  },
  isRefusal: isFaultOf(...CEREMONY_KINDS),
  judge(_, outcome) {
    if (!("value" in outcome) || outcome.value === undefined) return
    const { publicKey, name, algorithm } = outcome.value
    if (algorithm !== -7) return
    const point = p256.Point.fromHex(name)
    requireTrue(
      Buffer.from(publicKey).includes(Buffer.from(point.toBytes(false).subarray(1, 33))),
      "the key has another x",
    )
    requireSame(Buffer.from(point.toBytes()).toString("hex"), name, "noble reads another point")
  },
}

/** One of each kind of key, and statements of each format. */
function made(): Buffer[] {
  const { x, y } = {
    x: p256.Point.BASE.toBytes(false).subarray(1, 33),
    y: p256.Point.BASE.toBytes(false).subarray(33),
  }
  const modulus = Buffer.alloc(256, 0xc7)
  const keys = [
    new CborPairs([1, 2], [3, -7], [-1, 1], [-2, x], [-3, y]),
    new CborPairs(
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex")],
    ),
    new CborPairs([1, 3], [3, -257], [-1, modulus], [-2, Buffer.from("010001", "hex")]),
  ]
  const none = { fmt: "none", attStmt: new CborPairs() }
  const packed = {
    fmt: "packed",
    attStmt: new CborPairs(["alg", -7], ["sig", Buffer.from("3006020101020101", "hex")]),
  }
  const part = ({ fmt, attStmt }: typeof none) => new CborPairs(["fmt", fmt], ["attStmt", attStmt])
  return keys.flatMap((key, index) => {
    const head = Buffer.concat([
      Buffer.alloc(32, 9),
      Buffer.of(0x41, 0, 0, 0, index),
      Buffer.alloc(16),
      Buffer.of(0, 4, 1, 2, 3, 4),
    ])
    const authData = Buffer.concat([head, writeCbor(key)])
    return [
      writeCbor(new CborPairs(["fmt", "none"], ["attStmt", none.attStmt], ["authData", authData])),
      writeCbor(new CborPairs(["fmt", "packed"], ["attStmt", packed.attStmt], ["authData", authData])),
      writeCbor(
        new CborPairs(["fmt", "compound"], ["attStmt", [part(none), part(packed)]], ["authData", authData]),
      ),
    ]
  })
}
