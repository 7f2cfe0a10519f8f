import { defineConfig } from "orval";

const input = "../../openapi.yaml";

export default defineConfig({
  client: { input, output: { client: "fetch", target: "build/orval/client.ts" } },
  schemas: { input, output: { client: "zod", target: "build/orval/zod.ts" } },
});
