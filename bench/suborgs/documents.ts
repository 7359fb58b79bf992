import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { create } from "@bufbuild/protobuf"
import { CredentialType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { AUDIENCE, BORN_MS, type Customer, customer, idsOf, ISSUER } from "./customers.ts"

/** A key that stamps, as the load generator takes it. */
export type StampKey = { publicKeyHex: string; privateKeyPem: string }

export function newStampKey(): StampKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const isOdd = ((Buffer.from(y, "base64url").at(-1) ?? 0) & 1) === 1
  return {
    publicKeyHex: `${isOdd ? "03" : "02"}${Buffer.from(x, "base64url").toString("hex")}`,
    privateKeyPem: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  }
}

/** The parent of a deployment, older than all customers: one root user with the company's key. */
export function parentDocument(company: StampKey): OrganizationDocument {
  const [parentId, userId, keyId] = PARENT_IDS
  return create(OrganizationDocumentSchema, {
    organizationId: parentId,
    name: "Bench",
    users: [{ userId, name: "company", apiKeys: [apiKey(keyId, "company", company.publicKeyHex)], ...TIMES }],
    rootQuorum: { threshold: 1, userIds: [userId] },
    ...FIRST_VERSION,
  })
}

const PARENT_IDS = [0, 1, 2].map((last) => `019a0000-0000-7000-8000-00000000000${last}`) as [
  string,
  string,
  string,
]

/**
 * The sub-organization of customer `number`. Its users are the customer, with one credential of each kind, and the company, a
 * root user with the same key in all of them.
 */
export function childDocument(number: number, parentId: string, company: StampKey): OrganizationDocument {
  const owner = customer(number)
  const id = idsOf(number)
  const [userId, companyId] = [id(1), id(2)]
  const companyKey = apiKey(id(3), "company", company.publicKeyHex)
  return create(OrganizationDocumentSchema, {
    organizationId: owner.organizationId,
    parentId,
    name: `Customer ${number}`,
    users: [
      { ...credentialsOf(owner, id), userId, name: "customer", ...TIMES },
      { userId: companyId, name: "company", apiKeys: [companyKey], ...TIMES },
    ],
    rootQuorum: { threshold: 1, userIds: [userId, companyId] },
    ...FIRST_VERSION,
  })
}

const TIMES = { createdAtMs: BigInt(BORN_MS), updatedAtMs: BigInt(BORN_MS) }
const FIRST_VERSION = { version: 1n, ...TIMES }

function credentialsOf(
  { email, phoneNumber, publicKey, credentialId, passkeyKey, subject }: Customer,
  id: (last: number) => string,
) {
  const passkey = {
    authenticatorId: id(4),
    name: "passkey",
    credentialId,
    publicKey: passkeyKey,
    attestationType: "none",
    ...TIMES,
  }
  const provider = {
    providerId: id(5),
    name: "provider",
    issuer: ISSUER,
    audience: AUDIENCE,
    subject,
    ...TIMES,
  }
  return {
    email,
    emailVerified: true,
    phoneNumber,
    phoneNumberVerified: true,
    apiKeys: [apiKey(id(6), "key", publicKey)],
    authenticators: [passkey],
    oauthProviders: [provider],
  }
}

function apiKey(apiKeyId: string, name: string, publicKey: string) {
  return { apiKeyId, name, publicKey, type: CredentialType.API_KEY_P256, ...TIMES }
}
