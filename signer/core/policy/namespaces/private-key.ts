import { bool, list, reference, string, struct } from "../language/types.ts"

/** `private_key`: of requests that sign with, or export, a key that belongs to no wallet. It shows no address. */
export const privateKey = struct("PrivateKey", {
  id: reference("private-key-id"),
  label: string,
  tags: list(reference("private-key-tag-id")),
  imported: bool,
  exported: bool,
})
