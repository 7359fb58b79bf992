import t from "tap"
import { DAY, linesOfSteps } from "../../scripts/generators/reading-order.ts"
import { kernelFiles, linesOf, loadedFiles } from "../../scripts/loaded-files.ts"

// Bounds fall, and rise for checks of the kernel itself alone. A feature that the kernel loads belongs behind an index of modules.
const MOST_KERNEL_FILES = 343
const MOST_KERNEL_LINES = 30_456
const MOST_LINES = 52_006
/** Eight hours at 400 lines an hour. */
const LINES_OF_A_DAY = 3_200

t.test("the signer's process loads a bounded kernel without its modules", async (t) => {
  const kernel = kernelFiles()
  t.ok(kernel.includes("signer/enclave/execution/execute.ts"), "it decides")
  t.notOk(kernel.some((path) => /^signer\/(?:enclave|core)\/modules\//.test(path)))
  t.ok(kernel.length <= MOST_KERNEL_FILES, `${kernel.length} files`)
  t.ok(linesOf(kernel) <= MOST_KERNEL_LINES, `${linesOf(kernel)} lines`)
})

t.test("with all modules it is bounded too", async (t) => {
  const whole = loadedFiles("signer/enclave/main.ts")
  t.ok(whole.includes("signer/enclave/modules/wallets/create-wallet.ts"), "modules are counted")
  t.ok(linesOf(whole) <= MOST_LINES, `${linesOf(whole)} lines`)
})

t.test("the path of a request is read in a day", async (t) => {
  t.ok(linesOfSteps(DAY) <= LINES_OF_A_DAY, `${linesOfSteps(DAY)} lines`)
})
