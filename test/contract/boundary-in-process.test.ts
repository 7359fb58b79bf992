import t from "tap"
import { InProcessBoundary } from "../harness/boundary.ts"
import { boundarySuite } from "./boundary-suite.ts"

boundarySuite(t, async () => new InProcessBoundary())
