/** Sentences about the words that other commands follow, where no resource of that name has one. */
export const GROUPS: Readonly<Record<string, string>> = {
  activity: "activities: requests with their votes and outcomes",
  transaction: "replace or cancel an EVM transaction that waits",
  sign: "sign a transaction, a message, typed data or a digest",
  chain: "chains of COUNTERSIGN_CHAINS",
  config: "an organization as a file (docs/organization-as-code.md)",
  seal: "seal secrets to the pinned deployment",
  verify: "verify app proofs, exports and signatures",
  pins: "public keys of the trusted deployment",
  webhook: "webhook endpoints, and deliveries to them",
  profile: "profiles: the API, organization, keys and pins that commands use",
}
