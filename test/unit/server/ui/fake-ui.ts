// A Temporal UI as its proxy sees it: listens where its arguments say, and answers with the request that it
// received.
import { createServer } from "node:http"
import { argv } from "node:process"

const valueOf = (flag: string): string => argv[argv.indexOf(flag) + 1] ?? ""

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { method, url, headers } = request
    response.writeHead(url === "/teapot" ? 418 : 200, {
      "content-type": "application/json",
      "set-cookie": ["_csrf=1", "other=2"],
      "access-control-allow-origin": "*",
      "keep-alive": "timeout=1",
    })
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }))
  })
}).listen(Number(valueOf("--ui-port")), valueOf("--ui-ip"), () => console.log("ready"))
