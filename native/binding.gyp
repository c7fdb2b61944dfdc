{
  "variables": {
    "include": [".", "generated", "ggml", "<!(node -p \"require('node-addon-api').include_dir\")"],
    # sources that only tests need; packages are without them
    "probe%": "<!(node -p \"require('fs').existsSync('probe') ? 1 : 0\")",
    "addon": ["<!@(node -p \"require('fs').readdirSync('addon',{recursive:true}).filter(f=>f.endsWith('.cc')).map(f=>'addon/'+f).join(' ')\")"],
    "warnings": ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-cast-function-type"],
    "quiet": ["-Wno-uninitialized", "-Wno-maybe-uninitialized"]
  },
  "target_defaults": {
    "include_dirs": ["<@(include)"],
    "defines": ["<!@(node -p \"require('./compiler-settings.json').defines.join(' ')\")"],
    "cflags_cc": ["-std=c++20", "-O2", "-fexceptions", "<@(warnings)"],
    "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++20"],
    "xcode_settings": {
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
      "MACOSX_DEPLOYMENT_TARGET": "14.0"
    }
  },
  "targets": [
    {
      "target_name": "svc",
      "sources": ["<@(addon)"],
      "dependencies": ["svc_model"],
      "conditions": [
        ["OS=='linux'", { "libraries": ["-ldl"] }],
        ["probe==1", { "sources": ["<!@(node -p \"require('fs').readdirSync('probe').filter(f=>f.endsWith('.cc')&&!f.startsWith('isa_')).map(f=>'probe/'+f).join(' ')\")"], "defines": ["SVC_PROBE"] }],
        ["probe==1 and target_arch=='x64'", { "dependencies": ["kernels_amx_model"] }]
      ]
    },
    {
      "target_name": "svc_model",
      "type": "static_library",
      "sources": ["<!@(node -p \"['model','runtime','cpu-kernels','ggml-executor'].flatMap(d=>require('fs').readdirSync(d,{recursive:true}).filter(f=>f.endsWith('.cc')&&!/^isa_(?!portable)/.test(f)).map(f=>d+'/'+f)).join(' ')\")"],
      "conditions": [
        ["target_arch=='x64'", { "dependencies": ["kernels_amx", "kernels_avx512_bf16", "kernels_avx512", "kernels_avx_vnni", "kernels_avx2"] }],
        ["target_arch=='arm64'", { "dependencies": ["kernels_neon_i8mm", "kernels_neon", "kernels_neon_v8"] }]
      ]
    }
  ],
  "conditions": [
    ["probe==1", {
      "targets": [
        {
          # the addon of packages
          "target_name": "svc_packed",
          "sources": ["<@(addon)"],
          "dependencies": ["svc_model"],
          "conditions": [["OS=='linux'", { "libraries": ["-ldl"] }]]
        }
      ]
    }],
    ["probe==1 and target_arch=='x64'", {
      "targets": [
        {
          "target_name": "kernels_amx_model",
          "type": "static_library",
          "sources": ["probe/isa_amx_model.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.x64.amx_model.join(' ')\")"] },
          "cflags_cc": ["-O3", "<@(quiet)", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        }
      ]
    }],
    ["target_arch=='x64'", {
      "targets": [
        {
          "target_name": "kernels_amx",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_amx.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.x64.amx.join(' ')\")"] },
          "cflags_cc": ["-O3", "<@(quiet)", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        },
        {
          "target_name": "kernels_avx512_bf16",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_avx512_bf16.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.x64.avx512_bf16.join(' ')\")"] },
          "cflags_cc": ["-O3", "<@(quiet)", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        },
        {
          "target_name": "kernels_avx512",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_avx512.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.x64.avx512.join(' ')\")"] },
          "cflags_cc": ["-O3", "<@(quiet)", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        },
        {
          "target_name": "kernels_avx_vnni",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_avx_vnni.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.x64.avx_vnni.join(' ')\")"] },
          "cflags_cc": ["-O3", "<@(quiet)", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        },
        {
          "target_name": "kernels_avx2",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_avx2.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.x64.avx2.join(' ')\")"] },
          "cflags_cc": ["-O3", "<@(quiet)", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        }
      ]
    }],
    ["target_arch=='arm64'", {
      "targets": [
        {
          "target_name": "kernels_neon_i8mm",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_neon_i8mm.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.arm64.neon_i8mm.join(' ')\")"] },
          "cflags_cc": ["-O3", "-fno-schedule-insns", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        },
        {
          "target_name": "kernels_neon",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_neon.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.arm64.neon.join(' ')\")"] },
          "cflags_cc": ["-O3", "-fno-schedule-insns", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        },
        {
          "target_name": "kernels_neon_v8",
          "type": "static_library",
          "sources": ["cpu-kernels/isa_neon_v8.cc"],
          "variables": { "own": ["<!@(node -p \"require('./compiler-settings.json').instructionSets.arm64.neon_v8.join(' ')\")"] },
          "cflags_cc": ["-O3", "-fno-schedule-insns", "<@(own)"],
          "xcode_settings": { "OTHER_CFLAGS": ["-O3", "<@(own)"] }
        }
      ]
    }]
  ]
}
