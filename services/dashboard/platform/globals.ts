// Imported first: modules of signer/core take Buffer from the global object.
import { BrowserBuffer } from "./buffer.ts"

Object.assign(globalThis, { Buffer: BrowserBuffer })
