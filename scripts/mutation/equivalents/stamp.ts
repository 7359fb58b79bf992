import { inFolder } from "./equivalent.ts"

export const stamp = inFolder("signer/core/stamp", {
  "attested.ts": [
    {
      reason: "The header's reader has refused what is no DER; the comparison tells the compiler.",
      changes: [["der !== undefined", "true"]],
    },
  ],
  "large-body.ts": [
    {
      reason: "Only the length of a step changes.",
      changes: [
        ["64 * 1024", "64 / 1024"],
        ["16 * 1024", "16 / 1024"],
      ],
    },
    {
      reason: "The same digest is computed again.",
      changes: [["eip191Digests.has(body)", "false"]],
    },
    {
      reason: "An empty part at the end changes no digest.",
      changes: [["offset < body.length", "offset <= body.length"]],
    },
  ],
  "der.ts": [
    {
      reason: "The byte after an integer is a tag or missing, never zero, and ends the loop too.",
      changes: [
        ["digits < to", "true"],
        ["digits < to", "digits <= to"],
      ],
    },
  ],
  "fitting-keys.ts": [
    {
      reason: "A function that ends without a value returns undefined.",
      changes: [["{\n    return undefined // not the x coordinate of a point\n  }", "{}"]],
    },
  ],
  "keys.ts": [
    {
      reason: "A member that is undefined is no member: the refusal names no field either way.",
      changes: [["field === undefined", "false"]],
    },
    {
      reason: "A function that ends without a value returns undefined, which its callers take for the same.",
      changes: [
        ["{\n    return undefined // not the x coordinate of a point\n  }", "{}"],
        ["{\n    return false\n  }", "{}"],
      ],
    },
  ],
  "read-stamp.ts": [
    {
      reason: "The JSON reader takes a text that does not match. One that matches too widely is refused.",
      changes: [
        [
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
          '/^\\{"publicKey":"([0-9a-fA-F])","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
        ],
        [
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
          '/^\\{"publicKey":"([^0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
        ],
        [
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_])","signature":"([0-9a-fA-F]*)"\\}$/',
        ],
        [
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([^A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
        ],
        [
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F])"\\}$/',
        ],
        [
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
          '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([^0-9a-fA-F]*)"\\}$/',
        ],
      ],
    },
    {
      reason: "The JSON reader reads the same from this form; the shorter way saves time only.",
      changes: [
        ["published !== null", "false"],
        [
          "{\n    const [publicKey, scheme, signature] = published.slice(1) as [string, string, string]\n    return { publicKey, scheme, signature }\n  }",
          "{}",
        ],
      ],
    },
  ],
  "verify.ts": [
    {
      reason: "OpenSSL refuses scalars that are not below the order of the key's own curve.",
      changes: [
        [
          'case "SIGNATURE_SCHEME_TK_API_P256":\n      return verifyEcdsaSha256(key, "P256", signature, body)',
          'case "SIGNATURE_SCHEME_TK_API_P256":',
        ],
      ],
    },
    {
      reason: "An Ed25519 signature is no DER, so nothing is computed ahead either way.",
      changes: [
        ['curve === "ED25519"', "false"],
        ['"ED25519"', '""'],
      ],
    },
    {
      reason: "Only an attested stamp has the scheme of contacts.",
      changes: [['stamp.kind === "attested"', "true"]],
    },
    {
      reason: "OpenSSL refuses signatures of another length; the comparison does not rely on it.",
      changes: [["signature.length === ED25519_SIGNATURE_BYTES", "true"]],
    },
    {
      reason: "It cannot occur in a stamp, as the comment in the source says.",
      changes: [['"STAMP_INVALID"', '""']],
    },
  ],
})
