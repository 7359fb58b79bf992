import { createInterface } from "node:readline/promises"
import type { Ask } from "../core/join/confirm.ts"

/** Asks at this process's terminal. */
export const ask: Ask = process.stdin.isTTY
  ? async (question) => {
      const reader = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return await reader.question(question)
      } finally {
        reader.close()
      }
    }
  : undefined
