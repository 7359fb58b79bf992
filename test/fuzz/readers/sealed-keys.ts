// Keys and bundles that are sealed to a process, setup codes and documents. The first byte selects the reader. Nothing opens but what was
// sealed or signed, as it was.
import { type KeyObject, sign, verify } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { openProxyKey, sealProxyKey } from "../../../signer/core/auth-proxy/sealed-key.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { bindSecret, readBoundSecret } from "../../../signer/core/fetch-orders/bound-secret.ts"
import { openMailedBundle, sealMailedBundle } from "../../../signer/core/fetch-orders/mailed-bundle.ts"
import { openSealedKey } from "../../../signer/core/fetch-orders/on-ramp-key.ts"
import { decodeSealedKey, sealKey } from "../../../signer/core/fetch-orders/sealed-key-text.ts"
import { openDocument, notarizeDocument, type Notary } from "../../../signer/enclave/organization/notarize.ts"
import { openSetupCode, writeSetupCode } from "../../../signer/enclave/provision/setup-code.ts"
import { type Reader, requireSame, requireTrue, valueOf } from "../engine/reader.ts"
import { isAnyRefusal, isNoError } from "./refusals.ts"
import { oneOf } from "./round-trip.ts"
import { hexOfSecret, p256KeyOf } from "./test-keys.ts"

const own = p256KeyOf(7)
const keys = { ephemeral: p256KeyOf(9).privateKey, recipient: own.publicKey }
const ID = "0198c0de-0000-7000-8000-000000000001"
const PLAIN = Buffer.alloc(32, 5)
const plain = () => Secret.copyOf(PLAIN)

/** A reader that opens to the plaintext, or to nothing. */
function opening(
  seeds: () => Iterable<Uint8Array | string>,
  open: (input: Buffer) => string | undefined,
): Reader {
  return {
    seeds,
    read: open,
    isRefusal: isNoError,
    judge(_, outcome) {
      const opened = valueOf(outcome)
      if (opened !== undefined) requireSame(opened, PLAIN.toString("hex"), "it opens to another plaintext")
    },
  }
}

const hexOf = (secret: Secret | undefined) => secret && hexOfSecret(secret)
const place = { organizationId: ID, configId: ID, publicKey: "02ab" }
const mail = { organizationId: ID, activityFingerprint: Buffer.alloc(32, 6) }

const proxyKey = opening(
  () => [sealProxyKey(keys, place, plain())],
  (input) => hexOf(openProxyKey(own.privateKey, place, input)),
)
const mailedBundle = opening(
  () => [sealMailedBundle(keys, mail, plain())],
  (input) => {
    const text = openMailedBundle(own.privateKey, mail, input)
    return text && Buffer.from(text, "latin1").toString("hex")
  },
)
const sealedKey = opening(
  () => [sealKey(own.publicKey, plain())],
  (input) => {
    const sealed = decodeSealedKey(input.toString())
    return sealed && hexOf(openSealedKey(own.privateKey, sealed))
  },
)

const boundSecret: Reader = {
  seeds: () => [bindSecret("client-secret", ID, Buffer.from("s")), "a secret alone"],
  read: (input) => readBoundSecret("client-secret", input),
  isRefusal: isNoError,
  judge(input, outcome) {
    const read = valueOf(outcome) as ReturnType<typeof readBoundSecret>
    if (read === undefined) return
    const { organizationId, secret } = read
    if (organizationId === "")
      requireTrue(Buffer.from(secret).equals(input), "a part of a secret that is bound to none")
    else {
      const bound = Buffer.from(bindSecret("client-secret", organizationId, secret))
      requireSame(
        bound.toString("latin1").toLowerCase(),
        input.toString("latin1").toLowerCase(),
        "the bound text",
      )
    }
  },
}

const mac = new Uint8Array(32).fill(1)
const CODE = {
  organizationId: ID,
  publicKey: "02ab",
  pinsDigest: Buffer.alloc(32, 2),
  expiresAtMs: 1_767_225_600_000n,
}

const setupCode: Reader = {
  seeds: () => [writeSetupCode(CODE, mac)],
  read: (input) => openSetupCode(input.toString(), mac),
  isRefusal: isAnyRefusal,
  judge(input, outcome) {
    if (!("value" in outcome)) return
    const { organizationId, publicKey, pinsDigest, expiresAtMs } = outcome.value as typeof CODE
    requireSame({ organizationId, publicKey, pinsDigest, expiresAtMs }, CODE, "a code that nobody issued")
    const text = input.toString().replace(/=+$/, "")
    requireSame(Buffer.from(text, "base64url").toString("base64url"), text, "another spelling of a code")
  },
}

const notary: Notary = {
  sign: (tag, bytes) => sign("sha256", tagged(tag, bytes), p1363(own.privateKey)),
  verify: (tag, bytes, signature) => verify("sha256", tagged(tag, bytes), p1363(own.publicKey), signature),
}
const p1363 = (key: KeyObject) => ({ key, dsaEncoding: "ieee-p1363" as const })
const tagged = (tag: string, bytes: Uint8Array) => Buffer.concat([Buffer.from(`${tag}\0`), bytes])
const DOCUMENT: OrganizationDocument = create(OrganizationDocumentSchema, { organizationId: ID, version: 3n })

const document: Reader = {
  seeds: () => [notarizeDocument(DOCUMENT, notary).notarized],
  read: (input) => openDocument(input, notary).document,
  isRefusal: isAnyRefusal,
  judge(_, outcome) {
    if (!("value" in outcome)) return
    const bytes = toBinary(OrganizationDocumentSchema, outcome.value as OrganizationDocument)
    requireSame(bytes, toBinary(OrganizationDocumentSchema, DOCUMENT), "a document that nobody signed")
  },
}

export const sealedKeys = oneOf([proxyKey, mailedBundle, sealedKey, boundSecret, setupCode, document])
