// User operations (ERC-4337) and authorizations (EIP-7702).
import { hashAuthorization } from "../../../signer/core/payload/authorization.ts"
import { userOperationHash } from "../../../signer/core/payload/user-operation/hash.ts"
import {
  readUserOperation,
  type UserOperation,
} from "../../../signer/core/payload/user-operation/user-operation.ts"
import type { Reader } from "../engine/reader.ts"
import { json } from "../formats/json.ts"
import { isFaultOf } from "./refusals.ts"

export type ReadOperation = { hash: string; operation: UserOperation | undefined }

const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`

export const userOperation: Reader<ReadOperation> = {
  format: json,
  read(input) {
    const text = input.toString()
    if (!text.includes("userOperation")) return { hash: hexOf(hashAuthorization(text)), operation: undefined }
    const operation = readUserOperation(text)
    return { hash: hexOf(userOperationHash(operation)), operation }
  },
  isRefusal: isFaultOf("payload"),
}
