// Words of signatures, sends and interfaces of contracts.
import { interfaces } from "./words/interfaces.ts"
import { sends } from "./words/sends.ts"
import { signing } from "./words/signing.ts"

export const writers = { ...signing, ...sends, ...interfaces }
