/**
 * Prints what the container images install besides the dependencies: the optional peers as package-lock.json pins them,
 * and ggml's libraries of Linux arm64 or of the backends given as arguments, such as `cuda`.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { peerDependencies, optionalDependencies } = packages[''];
const peers = Object.keys(peerDependencies).map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
const variants = process.argv.slice(2).map((backend) => `${process.arch}-${backend}`);
if (process.arch === 'arm64') variants.unshift('arm64');
const version = optionalDependencies['@node-llama-cpp/linux-x64'];
console.log([...peers, ...variants.map((variant) => `@node-llama-cpp/linux-${variant}@${version}`)].join(' '));
