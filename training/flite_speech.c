/* flite_speech VOICE STRETCH < LINES: speaks each line with a voice of flite.
 *
 * For line number N (from 0) it writes N.wav (16 kHz) into the current folder and prints a row of the segments,
 * "phone end-in-seconds word" separated by tabs, with "-" as the word of a pause.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <flite/flite.h>

cst_voice *register_cmu_us_slt(const char *);
cst_voice *register_cmu_us_rms(const char *);
cst_voice *register_cmu_us_awb(const char *);
cst_voice *register_cmu_us_kal16(const char *);

static cst_voice *voice_named(const char *name) {
  if (!strcmp(name, "slt")) return register_cmu_us_slt(NULL);
  if (!strcmp(name, "rms")) return register_cmu_us_rms(NULL);
  if (!strcmp(name, "awb")) return register_cmu_us_awb(NULL);
  if (!strcmp(name, "kal16")) return register_cmu_us_kal16(NULL);
  fprintf(stderr, "flite_speech: no voice %s\n", name);
  exit(2);
}

static const char *word_of(const cst_item *segment) {
  const cst_item *syllable = item_as(segment, "SylStructure");
  if (!syllable || !item_parent(syllable) || !item_parent(item_parent(syllable))) return "-";
  const cst_item *token = item_as(item_parent(item_parent(syllable)), "Token");
  return token && item_parent(token) ? item_feat_string(item_parent(token), "name") : "-";
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  flite_init();
  cst_voice *voice = voice_named(argv[1]);
  flite_feat_set_float(voice->features, "duration_stretch", (float)atof(argv[2]));
  char line[4096];
  for (long number = 0; fgets(line, sizeof line, stdin); number++) {
    line[strcspn(line, "\r\n")] = 0;
    cst_utterance *utterance = flite_synth_text(line, voice);
    cst_wave *wave = utt_wave(utterance);
    char path[64];
    snprintf(path, sizeof path, "%ld.wav", number);
    cst_wave_save_riff(wave, path);
    for (const cst_item *s = relation_head(utt_relation(utterance, "Segment")); s; s = item_next(s))
      printf("%s %.4f %s\t", item_feat_string(s, "name"), item_feat_float(s, "end"), word_of(s));
    printf("\n");
    delete_utterance(utterance);
  }
  return 0;
}
