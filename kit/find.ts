import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function pathFolders(path = process.env.PATH ?? ''): string[] {
  return path.split(delimiter).filter((folder) => folder !== '');
}

/** The first folder that holds all these programs, or null. */
export function folderWith(programs: string[], folders: string[]): string | null {
  return folders.find((folder) => programs.every((name) => isProgram(join(folder, name)))) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
