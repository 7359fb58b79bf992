// Opens the golden ledger that lies in a directory, and ends.
import { openGolden, readGolden } from "./golden-ledger.ts"

const [file = "", directory = ""] = process.argv.slice(2)
await openGolden(readGolden(file), directory).close()
