{
  # scripts/native-sources.mjs writes it: the sources, and a target for each kernel set
  "includes": ["generated/sources.gypi"],
  "variables": {
    "warnings": ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-cast-function-type"],
    "kernel_flags": ["-Wno-uninitialized", "-Wno-maybe-uninitialized"],
    "conditions": [
      ["target_arch=='arm64' and OS!='mac'", { "kernel_flags": ["-fno-schedule-insns"] }]
    ]
  },
  "target_defaults": {
    "include_dirs": [".", "generated", "ggml", "<(addon_api)"],
    "defines": ["<@(defines_of_all)"],
    "cflags_cc": ["-std=c++20", "-O2", "-fexceptions", "<@(warnings)"],
    "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++20"],
    "xcode_settings": {
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
      "MACOSX_DEPLOYMENT_TARGET": "14.0"
    },
    "conditions": [["OS=='linux'", { "libraries": ["-ldl"] }]]
  },
  "targets": [
    {
      "target_name": "svc",
      "sources": ["<@(addon_units)"],
      "dependencies": ["svc_model"],
      "conditions": [
        ["probe==1", { "sources": ["<@(probe_units)"], "dependencies": ["<@(probe_targets)"], "defines": ["SVC_PROBE"], "cflags_cc": ["-Wno-subobject-linkage"] }]
      ]
    },
    {
      "target_name": "svc_model",
      "type": "static_library",
      "sources": ["<@(model_units)"],
      # the sources of a unit are not what GCC calls the main file; their time is that of the kernels they call, and -O1
      # compiles in two thirds of the time
      "cflags_cc": ["-O1", "-Wno-subobject-linkage"],
      "dependencies": ["svc_hot"]
    },
    {
      "target_name": "svc_hot",
      "type": "static_library",
      "sources": ["<(hot_unit)"],
      "cflags_cc": ["-Wno-subobject-linkage"],
      "dependencies": ["<@(kernel_targets)"]
    },
    {
      # the addon of packages, beside that of the clone which packs them
      "target_name": "svc_packed",
      "sources": ["<@(addon_units)"],
      "dependencies": ["svc_model"]
    }
  ]
}
