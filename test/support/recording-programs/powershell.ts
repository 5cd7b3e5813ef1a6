/**
 * Windows PowerShell as far as the proxy settings need it: the program reads which of the two scripts it was given and does
 * to `state/registry` (JSON) what that script does to the registry.
 *
 * @param node path of Node
 */
export function powershell(node: string): string {
  const program = `
const fs = require('node:fs');
const script = Buffer.from(process.argv.at(-1), 'base64').toString('utf16le');
const values = JSON.parse(fs.readFileSync('state/registry', 'utf8'));
if (!script.includes('Internet Settings')) throw new Error('an unknown script');
if (script.includes('ConvertTo-Json')) { process.stdout.write(JSON.stringify(values)); process.exit(0); }
if (!script.includes('InternetSetOption')) throw new Error('nobody is told of the change');
let done = 0;
try {
  for (const { name, type, value } of JSON.parse(fs.readFileSync(0, 'utf8'))) {
    let left = Number(fs.readFileSync('fail', 'utf8'));
    if (left > 0) {
      fs.writeFileSync('fail', String(--left));
      if (left === 0) { process.stderr.write('refused by the test'); process.exitCode = 1; break; }
    }
    if (value === null) delete values[name];
    else if (typeof value !== (type === 'DWord' ? 'number' : 'string')) throw new Error('wrong type for ' + name);
    else values[name] = value;
    done += 1;
  }
} finally {
  fs.writeFileSync('state/registry', JSON.stringify(Object.fromEntries(Object.entries(values).sort())));
  process.stdout.write(done + '\\n');
}`;
  return `cat > program.cjs <<'END_OF_PROGRAM'
${program}
END_OF_PROGRAM
exec '${node}' program.cjs "$@"`;
}
